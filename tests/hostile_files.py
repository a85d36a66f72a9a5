"""Files that are small and want much: memory, time, or an error that is not ours."""

import io
import zipfile
import zlib

_SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_HELLO = "Hello there my friend."


def pdf(content, pages):
    """Write a PDF file that shows one page, with this content, so many times."""
    stream = zlib.compress(content, 9)
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b"5 0 R " * pages, pages),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 3 0 R >> >> >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 6\n0000000000 65535 f \n"
    return (
        out + head + table + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(out)
    )


def docx(body, before=""):
    """Write a Word file with this content."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr(
            "word/document.xml",
            f'{before}<w:document xmlns:w="{_SPACE}"><w:body>{body}</w:body></w:document>',
        )
    return file.getvalue()


def _paragraph(text):
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def _cell(properties, text=_HELLO):
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{_paragraph(text)}</w:tc>"


def _table(*rows):
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"


def _operators(text, count):
    return b"BT /F1 12 Tf 72 700 Td " + text * count + b"ET"


def _subject(size):
    return b"Subject: " + b"=?utf-8?q?a?= " * (size // 14) + b"\n\nHello there my friend."


def _parameters(one):
    many = b"".join(one(number) for number in range(30_000))
    return b"Content-Type: text/plain" + many + b"\n\nHello there my friend."


def _nested(count):
    heads = (
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (number, number)
        for number in range(count)
    )
    return b"".join(heads) + b"Content-Type: text/plain\n\nHello there my friend.\n"


_LAUGHS = (
    f'<!DOCTYPE x [<!ENTITY a "{"a" * 1000}"><!ENTITY b "{"&a;" * 100}">'
    f'<!ENTITY c "{"&b;" * 100}">]>'
)

#: What each file holds is made when it is asked for; names end as the files do.
FILES = {
    "subject of 46 kB.eml": lambda: _subject(46_000),
    "subject of 373 kB.eml": lambda: _subject(373_000),
    "subject of 16 MB.eml": lambda: _subject(16_000_000),
    "parameters.eml": lambda: _parameters(lambda number: b"; a*%d=b" % number),
    "the same parameter.eml": lambda: _parameters(lambda number: b"; a*0=b"),
    "nested parts.eml": lambda: _nested(3_000),
    "nested messages.eml": lambda: b"Content-Type: message/rfc822\n\n" * 3_000 + b"\nHello there.",
    "lines in nested parts.eml": lambda: _nested(50) + b"a\n" * 900_000,
    "headers.eml": lambda: b"A: b\n" * 900_000 + b"\nHello there.",
    "parts.eml": lambda: b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\n" * 400_000,
    "lines.eml": lambda: b"\n" + b"a\n" * 8_000_000,
    "operators.pdf": lambda: pdf(_operators(b"(a) Tj ", 100_000), 1),
    "one page often.pdf": lambda: pdf(_operators(b"(hello) Tj 0 -12 Td ", 100), 3_000),
    "one text often.pdf": lambda: pdf(_operators(b"(" + b"a " * 50_000 + b") Tj ", 1), 3_000),
    "matrices.pdf": lambda: pdf(b"1 0 0 1 0 0 cm " * 1_000_000, 1),
    "span.docx": lambda: docx(_table(_cell('<w:gridSpan w:val="2000000000"/>'))),
    "merged.docx": lambda: docx(_table(_cell("<w:vMerge/>"))),
    "paragraphs.docx": lambda: docx(_paragraph("a") * 400_000),
    "empty paragraphs.docx": lambda: docx("<w:p/>" * 800_000 + _paragraph(_HELLO)),
    "table.docx": lambda: docx(_table(*[_cell("") * 20] * 2_000)),
    "deep.docx": lambda: docx("<w:sdt>" * 300_000 + _paragraph("a") + "</w:sdt>" * 300_000),
    "entities.docx": lambda: docx(_paragraph("&c;"), _LAUGHS),
    "bomb.docx": lambda: docx(_paragraph("a" * 30_000_000)),
}
