import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxcover.errors import FileFormatError, OptionError
from maxcover.texts import Background, prepare
from maxcover.texts.words.tokens import words

DOCUMENTS = ["Cats purr and cats sleep.", "A cat!", "Dogs bark.", "", "İstanbul ist groß"]


def test_counts_against_a_slow_twin():
    table = Background.from_documents(DOCUMENTS, stem=False)
    twin: dict[str, int] = {}
    for document in DOCUMENTS:
        for word in set(words(document)):
            twin[word] = twin.get(word, 0) + 1
    assert table.counts == twin
    assert table.documents == len(DOCUMENTS)


def test_round_trip(tmp_path):
    table = Background.from_documents(DOCUMENTS)
    table.save(tmp_path / "table.tsv")
    assert Background.load(tmp_path / "table.tsv") == table
    Background.load(tmp_path / "table.tsv").save(tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_bytes() == (tmp_path / "table.tsv").read_bytes()


def test_the_table_stays_below_its_limit_and_keeps_the_frequent():
    stream = (f"common word{number} other{number}" for number in range(1000))
    table = Background.from_documents(stream, stem=False, max_terms=50)
    assert len(table.counts) <= 50
    assert table.counts["common"] == table.documents == 1000


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damage_is_noticed_or_harmless(tmp_path_factory, data):
    """Cut or alter one byte: a FileFormatError, or a table of the same shape, nothing else."""
    path = tmp_path_factory.mktemp("background") / "table.tsv"
    table = Background.from_documents(DOCUMENTS)
    table.save(path)
    raw = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(raw) - 1))
    if data.draw(st.booleans()):
        path.write_bytes(raw[:place])
        with pytest.raises(FileFormatError):
            Background.load(path)
        return
    raw[place] = data.draw(st.integers(0, 255))
    path.write_bytes(raw)
    try:
        loaded = Background.load(path)
    except FileFormatError:
        return
    assert len(loaded.counts) == len(table.counts)
    assert all(0 < count <= loaded.documents for count in loaded.counts.values())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"# maxcover background 2\n# documents 1\n# stemmer none\n# end 0\n", "upgrade"),
        (b"# maxcover background 1\n# documents 1\n# stemmer none\na\t2\n# end 1\n", "line 4"),
        (b"# maxcover background 1\n# documents 1\n# stemmer none\na\t1\n# end 2\n", "cut short"),
        (
            b"# maxcover background 1\n# documents 1\n# stemmer none\na\t1\na\t1\n# end 2\n",
            "line 5",
        ),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    path = tmp_path / "table.tsv"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=message):
        Background.load(path)


def test_the_stemmers_have_to_agree():
    table = Background.from_documents(DOCUMENTS, stem="porter")
    with pytest.raises(OptionError, match="porter"):
        prepare(["A cat."], background=table)
    prepare(["A cat."], background=table, preset="paper")
