"""`maxcover summarize`: every way in, every way out, and one line for whatever goes wrong."""

import io
import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from maxcover.cli.app import call
from maxcover.texts import UNITS
from maxcover.texts.read import sources
from maxcover.texts.report.formats import FORMATS

FIRST = "The council closed the old bridge. Traffic moves to the new bridge. Shops complain."
SECOND = "The old bridge was unsafe. The council had warned of the bridge. Rain fell."
CLUSTERS = [
    {"id": "a", "documents": [{"id": "a1", "text": FIRST}, {"id": "a2", "text": SECOND}]},
    {"text": FIRST},
    [FIRST, SECOND],
    SECOND,
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.txt").write_text(FIRST, encoding="utf-8")
    (tmp_path / "two.md").write_text(SECOND, encoding="utf-8")
    lines = "\n".join(json.dumps(cluster) for cluster in CLUSTERS)
    (tmp_path / "clusters.jsonl").write_text(lines + "\n\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(capsys):
    def run(*arguments, code=0):
        assert call(["summarize", *map(str, arguments)]) == code
        return capsys.readouterr()

    return run


def pipe_in(monkeypatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


def one_line(captured) -> str:
    """The error: one line, no traceback, nothing on standard output."""
    assert captured.out == ""
    assert captured.err.startswith("maxcover: ")
    assert captured.err.count("\n") == 1
    return captured.err


def test_files(run):
    printed = run("one.txt", "two.md", "--budget", 12)
    said = [line.split(": ", 1) for line in printed.out.splitlines()]
    assert 0 < sum(len(line.split()) for _, line in said) <= 12
    assert {name for name, _ in said} <= {"one.txt", "two.md"}
    assert printed.err == ""


def test_directories_and_patterns_mean_the_same_as_their_files(run, folder):
    (folder / "notes.bin").write_bytes(b"\0\1")
    (folder / "clusters.jsonl").unlink()
    expected = run("one.txt", "two.md", "-b", 12).out
    assert run(".", "-b", 12).out == expected
    assert run("*.[tm]*", "-b", 12).out == expected


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_standard_input(run, monkeypatch, arguments):
    pipe_in(monkeypatch, FIRST.encode())
    assert 0 < len(run(*arguments, "-b", "40", "-u", "characters").out.rstrip("\n")) <= 40


def test_json_lines_of_clusters(run):
    printed = run("clusters.jsonl", "-b", 8, "-f", "jsonl").out
    records = [json.loads(line) for line in printed.splitlines()]
    assert [record.get("title") for record in records] == ["a", None, None, None]
    assert records[0]["documents"] == ["a1", "a2"]
    assert records[2]["text"] == records[0]["text"]
    assert all(record["cost"] <= 8 for record in records)


def test_json_lines_from_standard_input(run, monkeypatch):
    pipe_in(monkeypatch, json.dumps(CLUSTERS[0]).encode())
    assert json.loads(run("--from", "jsonl", "-b", 8, "-f", "jsonl").out)["title"] == "a"


def test_a_cluster_that_fails_is_named_and_the_others_go_on(run, folder):
    (folder / "bad.jsonl").write_bytes(
        b'{"text": "Cats purr. Dogs bark."}\n{"text": 3}\nnot json\n\xff\n"!!!"\n"Cats purr."\n'
    )
    printed = run("bad.jsonl", "-b", 2, "-f", "jsonl", code=1)
    assert [json.loads(line)["text"] for line in printed.out.splitlines()] == ["Cats purr."] * 2
    assert [line.split(":")[1] for line in printed.err.splitlines()] == [
        f" bad.jsonl, line {number}" for number in (2, 3, 4, 5)
    ]


def test_a_page_holds_one_summary(run):
    for form, start in (("html", "<!doctype html>"), ("json", '{\n  "schema"')):
        said = run("clusters.jsonl", "-b", 8, "-f", form, code=2)
        assert "write --format jsonl" in said.err
        assert said.out.count(start) == 1


def test_memory_of_a_stream_is_bounded(folder):
    """Reading gives one line at a time: nothing of the next one is touched."""
    lines = sources.read_clusters(folder / "clusters.jsonl")
    assert next(lines)[1]().title == "a"
    assert len(list(lines)) == len(CLUSTERS) - 1


def test_web_pages(run, folder):
    pytest.importorskip("trafilatura")
    body = "".join(f"<p>{text} {text}</p>" for text in (FIRST, SECOND) for _ in range(4))
    page = f"<body><nav>Home | Login</nav><article>{body}</article></body>"
    (folder / "page.html").write_text(f"<html>{page}</html>", encoding="utf-8")
    printed = run("page.html", "-b", 12).out
    assert "bridge" in printed
    assert "<" not in printed


def test_web_pages_without_the_extra_say_what_to_install(run, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    (folder / "page.html").write_text("<p>Hello.</p>")
    assert 'pip install "maxcover[html]"' in one_line(run("page.html", "-b", 9, code=2))
    # what trafilatura itself misses is said, and the extra names it
    for name in [one for one in sys.modules if one.split(".")[0] in ("trafilatura", "justext")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "lxml_html_clean", None)
    monkeypatch.setitem(sys.modules, "lxml.html.clean", None)
    assert "lxml" in one_line(run("page.html", "-b", 9, code=2))
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text())
    named = " ".join(project["project"]["optional-dependencies"]["html"])
    assert "lxml_html_clean" in named


@pytest.mark.parametrize(
    ("name", "ending"), [("markdown", ".md"), ("json", ".json"), ("text", ".txt")]
)
def test_the_output_file_says_the_format(run, folder, name, ending):
    shown = run("one.txt", "-b", 8, "-f", name).out
    assert run("one.txt", "-b", 8, "-o", f"digest{ending}").out == ""
    written = (folder / f"digest{ending}").read_text(encoding="utf-8")
    if name == "json":
        assert json.loads(written)["text"] == json.loads(shown)["text"]
    else:
        assert written == shown


def test_options_reach_the_summary(run):
    assert "Rain fell." in run("two.md", "-b", 8, "--require", "^Rain").out
    assert "bridge" not in run("one.txt", "-b", 8, "--forbid", "bridge").out
    options = ["--weights", "tf", "--max-sentences-per-document", 1]
    record = json.loads(run("one.txt", "two.md", "-b", "90%", "-f", "json", *options).out)
    assert [sentence["document"] for sentence in record["sentences"]] == [0, 1]
    assert run("one.txt", "-b", 4, "--query", "traffic shops", "--weights", "tf").out
    assert run("one.txt", "-b", 6, "--preset", "paper-with-stop-words").out


@pytest.mark.parametrize("unit", UNITS)
def test_every_unit(run, unit):
    record = json.loads(run("one.txt", "-b", 60, "-u", unit, "-f", "json").out)
    assert UNITS[unit].measure(record["text"]) <= 60
    assert record["unit"] == unit


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "one.txt is empty"),
        (b"\x7fELF\0\0\1", "not a text file"),
        (b"%PDF-1.7 \xe2\xe3", "not a text file"),
        ("Café au lait.".encode("latin-1"), "--encoding latin-1"),
        (b"... !!!", "at least one sentence"),
        (b"Far too many words to fit here.", "the shortest takes 7"),
    ],
)
def test_what_cannot_be_used_is_one_line(run, folder, content, said):
    (folder / "one.txt").write_bytes(content)
    assert said in one_line(run("one.txt", "-b", 3, code=2))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.txt", "-b", "9"], "No such file"),
        (["miss*.txt", "-b", "9"], "No such file"),
        (["one.txt", "-b", "lots"], "a share such as"),
        (["one.txt", "-b", "9", "--require", "("], "regular expression"),
        (["one.txt", "-b", "9", "--encoding", "klingon"], "unknown encoding"),
        (["one.txt", "-b", "9", "-l", "klingon"], "unknown language"),
        (["one.txt", "-b", "9", "-o", "no/such/folder.txt"], "No such file"),
        (["one.txt", "-b", "9", "--background", "two.md"], "expected '# maxcover background'"),
    ],
)
def test_wrong_arguments_are_one_line(run, arguments, said):
    assert said in one_line(run(*arguments, code=2))


def test_unknown_names_list_the_known_ones(run):
    printed = run("one.txt", "-b", 9, "--unit", "pages", code=2)
    assert all(unit in printed.err for unit in UNITS)


def test_an_empty_folder_says_what_it_looked_for(run, folder):
    (folder / "sub").mkdir()
    assert ".txt" in one_line(run("sub", "-b", 9, code=2))


def test_marks_of_encodings_are_understood(run, folder):
    expected = run("one.txt", "-b", 8).out
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        (folder / "one.txt").write_bytes(FIRST.encode(encoding))
        assert run("one.txt", "-b", 8).out == expected
    (folder / "one.txt").write_bytes("Café. Café au lait.".encode("latin-1"))
    assert "Café" in run("one.txt", "-b", 8, "--encoding", "latin-1").out


def test_nothing_to_read(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert "nothing to read" in one_line(run("-b", 9, code=2))


def test_lone_surrogates_in_json_do_not_stop_it(run, monkeypatch):
    pipe_in(monkeypatch, b'"A \\ud800 b."')
    assert run("--from", "jsonl", "-b", 9).out.startswith("A ")


def test_help_has_examples_and_every_choice(capsys):
    assert call(["summarize", "--help"]) == 0
    text = capsys.readouterr().out
    assert "maxcover summarize clusters.jsonl --budget 100 --format jsonl" in text
    for name in (*UNITS, *FORMATS):
        assert name in text


PROGRAM = [sys.executable, "-c", "from maxcover.cli.app import run; run()"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("summarize --unit ch", "plain,characters"),
        ("summarize on", "file,on"),
        ("reproduce fig3 --bu", "plain,--budget"),
        ("summa", "plain,summarize"),
    ],
)
def test_shell_completion(words, expected):
    environment = os.environ | {
        "_MAXCOVER_COMPLETE": "bash_complete",
        "COMP_WORDS": f"maxcover {words}",
        "COMP_CWORD": str(len(words.split())),
    }
    found = subprocess.run(PROGRAM, env=environment, capture_output=True, text=True, check=False)
    assert found.stdout.split() == [expected]


def test_a_reader_that_goes_away_is_no_error(folder):
    lines = (json.dumps(CLUSTERS[0]) + "\n") * 400
    (folder / "many.jsonl").write_text(lines)
    command = [*PROGRAM, "summarize", "many.jsonl", "-b", "8", "-f", "jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_control_c_ends_a_stream_at_once_and_quietly(folder):
    command = [*PROGRAM, "summarize", "--from", "jsonl", "-b", "8", "-f", "jsonl"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        process.stdin.write((json.dumps(CLUSTERS[0]) + "\n").encode())
        process.stdin.flush()
        process.stdout.readline()  # from now on it waits for the next cluster
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert b"Traceback" not in errors


def test_no_colour_when_asked():
    environment = os.environ | {"NO_COLOR": "1", "FORCE_COLOR": "", "TERM": "xterm-256color"}
    command = [*PROGRAM, "summarize", "one.txt", "-b", "8"]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "\x1b[3" not in shown.stderr


def test_a_mail_is_read_as_one(run, folder):
    mail = (
        "From: Ann <ann@x.example>\r\nTo: bob@x.example\r\nSubject: =?utf-8?q?Br=C3=BCcke?=\r\n"
        "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
        "Hi Bob,\r\n\r\nThe caf=C3=A9 near the old bridge is closed today.\r\n\r\n-- \r\nAnn\r\n"
    )
    (folder / "thread.eml").write_bytes(mail.encode("ascii"))
    assert run("thread.eml").out == "The café near the old bridge is closed today.\n"
    empty = "MIME-Version: 1.0\r\nContent-Type: application/pdf\r\n\r\nx\r\n"
    (folder / "empty.eml").write_bytes(empty.encode())
    assert "without a text" in one_line(run("empty.eml", code=2))


def test_a_web_address_is_answered_with_the_command_that_fetches_it(run):
    said = one_line(run("https://example.org/a.html", code=2))
    assert "curl -L -o page.html 'https://example.org/a.html'" in said


def test_only_what_is_new(run):
    assert "old bridge was unsafe" in run("two.md", "--known", "one.txt", "-b", 12).out
    assert "is new" in one_line(run("one.txt", "--known", "one.txt", code=2))


def test_without_options(run):
    printed = run("one.txt", "two.md")
    said = [line.split(": ", 1)[1] for line in printed.out.splitlines()]
    assert " ".join(said) == f"{FIRST} {SECOND}"  # everything fits into the default budget
    assert "read as English" not in printed.err


def test_an_uncertain_language_is_named(run, folder):
    (folder / "short.txt").write_text("Xyzzy plugh.", encoding="utf-8")
    assert "read as English, which is not certain" in run("short.txt").err
    assert run("short.txt", "-l", "en").err == ""


def test_compare_says_what_only_one_text_says(capsys):
    assert call(["compare", "one.txt", "two.md"]) == 0
    shown = capsys.readouterr().out
    assert "Only one.txt says:\n" in shown
    assert "Only two.md says:\n" in shown
    assert call(["compare", "one.txt", "two.md", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["first"]["text"] in shown
    assert call(["compare", "one.txt", "one.txt"]) == 4
    assert "neither says anything that the other does not" in capsys.readouterr().err
    assert call(["compare", "one.txt", "none.txt"]) == 2
    assert call(["compare", "one.txt"]) == 2
