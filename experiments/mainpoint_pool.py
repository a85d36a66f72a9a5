"""Gather the pool that `mainpoint.py` reads: public texts of every kind, none used before.

    python experiments/mainpoint_pool.py pool.jsonl                  # gather, and check every hash
    python experiments/mainpoint_pool.py pool.jsonl --mirrors FOLDER # from clones that are there
    python experiments/mainpoint_pool.py pool.jsonl --lock           # draw anew, and write the lock
    python experiments/mainpoint_pool.py other.jsonl --development   # others, to choose by

`mainpoint_pool.json` is the lock: where each text comes from, at which commit or version, under
which licence, and its hash. The texts are not kept here: they are large, and not every licence
allows it. Git, ``pip download``, ``apt-get download``, ``man`` and pyarrow are needed.
"""

import argparse
import hashlib
import io
import json
import random
import re
import subprocess
import tarfile
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from email import message_from_bytes
from pathlib import Path
from xml.etree import ElementTree as ET

HERE = Path(__file__).parent
LOCK = HERE / "mainpoint_pool.json"
SEED = 20261116
BUDGETS = {"news": 60, "timelines": 100, "reports": 100, "meetings": 100, "chats": 60}
BUDGET = 80

REPOSITORIES = {
    "shanybar/event_entity_coref_ecb_plus": "477c09f5fe9862218b74f0830c1797a32012ebb2",
    "amazon-science/background-summaries": "0af49881d02c41f53f2df34e360bb7a6293f08a6",
    "PLOS/allofplos": "07fdeed848b2816a7fbf7da6418ef6e2076e1960",
    "r-mailing-lists/data": "95bebefea52272ad51c84b206b9c483970ffee61",
    "rust-lang/lang-team": "cf7fec8b0fb6b9ad85b0cb3d50566f0b0847f8f9",
    "nodejs/TSC": "0e35767c9666d03c0e9596e636b35623887ffb6f",
    "Koverbay/2022-NLP-Samsum-Aug": "61bdad8918a9f37289a91956512caf0690e04b4b",
    "cylnlp/dialogsum": "848cc8c05e0a04def79326539de827f1b28786a0",
    "monero-project/research-lab": "a4ceef2ee3a7f7e27e9002bc8c3b37192ea7d40b",
    "tlswg/draft-ietf-tls-esni": "db491bf34e3bf6747d287b39c10e183d65165912",
    "abachaa/MedQuAD": "577bd37b96c02d1833b2c9eed2de9f96964e96cb",
    "python/peps": "ba4deeb7969588d937da609008d05bb83a47b1ab",
    "pypi/warehouse": "6b62157124ab7865029afeeadf282bce27d601d9",
    "github/site-policy": "12992597c5d9d8cfc006693c54b9609d9993bc99",
}

# Packages whose page (its long description) may be drawn, and whose manual page may be.
PAGES = [
    "arrow", "bleach", "boltons", "cachetools", "cattrs", "celery", "colorlog", "construct",
    "cookiecutter", "dateparser", "dramatiq", "fabric", "feedparser", "filelock", "furl",
    "gunicorn", "humanize", "icalendar", "inflect", "invoke", "itsdangerous", "lmdb", "loguru",
    "marshmallow", "mistune", "nox", "orjson", "parso", "pendulum", "pexpect", "pluggy",
    "portalocker", "prettytable", "psutil", "pyfiglet", "pyserial", "rope", "schedule", "sh",
    "structlog", "tabulate", "tenacity", "tinydb", "tqdm", "typeguard", "unidecode", "urwid",
    "vcrpy", "watchdog", "wrapt", "zeep",
]  # fmt: skip
MANUALS = [
    "ack", "at", "autossh", "bc", "buffer", "cowsay", "cron", "cscope", "datamash", "direvent",
    "dos2unix", "entr", "expect", "fdupes", "figlet", "fzf", "gawk", "htop", "inotify-tools",
    "jq", "less", "logrotate", "lsof", "moreutils", "mtr-tiny", "ncdu", "netcat-openbsd",
    "nmap", "parallel", "pv", "pwgen", "rename", "rlwrap", "rsync", "screen", "socat", "strace",
    "stow", "sysstat", "tmux", "tree", "units", "wdiff", "xclip", "zsync",
]  # fmt: skip

Cluster = dict
MIRRORS: list[Path] = []
Draw = random.Random


def _read(repository: str, path: str) -> bytes:
    return _git(repository, "show", f"{REPOSITORIES[repository]}:{path}")


def _list(repository: str, folder: str) -> list[str]:
    found = _git(repository, "ls-tree", "-r", "--name-only", REPOSITORIES[repository], folder)
    return found.decode().splitlines()


def _git(repository: str, *command: str) -> bytes:
    folder = Path(tempfile.gettempdir()) / "mainpoint-pool" / repository.replace("/", "+")
    if MIRRORS:
        folder = MIRRORS[0] / repository.replace("/", "+") / "repo"
        folder = folder / ".git" if (folder / ".git").is_dir() else folder
    elif not folder.is_dir():
        url = f"https://github.com/{repository}"
        subprocess.run(["git", "clone", "-q", "--bare", url, str(folder)], check=True)
    return subprocess.run(
        ["git", "-C", str(folder), *command], check=True, capture_output=True
    ).stdout


def _cluster(name: str, kind: str, texts: list, *, source: str, licence: str, **more) -> Cluster:
    """Make a cluster; a text may be a pair of a title and a text."""
    pairs = [text if isinstance(text, tuple) else ("", text) for text in texts]
    documents = [
        {"id": str(number), "title": title, "text": text.replace("\r\n", "\n").strip() + "\n"}
        for number, (title, text) in enumerate(pairs)
    ]
    return {
        "id": name,
        "kind": kind,
        "documents": documents,
        "references": more.pop("references", []),
        "source": source,
        "licence": licence,
        **more,
    }


def _sample(rng: Draw, items: list, count: int) -> list:
    return rng.sample(sorted(items), min(count, len(items)))


def draw_news(rng: Draw) -> Iterator[Cluster]:
    """ECB+: articles on one event each, put together from their tokens."""
    name = "shanybar/event_entity_coref_ecb_plus"
    articles: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for part in ("Dev", "Test", "Train"):
        path = f"data/interim/cybulska_setup/ECB_{part}_corpus.txt"
        for line in _read(name, path).decode().splitlines():
            if line.strip():
                document, sentence, _, token, *_ = line.split("\t")
                articles[document][int(sentence)].append(token)
    events: dict[str, list[str]] = defaultdict(list)
    for document in articles:
        topic, rest = document.split("_")
        events[topic + re.sub(r"\d", "", rest)].append(document)
    large = [event for event, members in events.items() if len(members) >= 10]
    for event in _sample(rng, large, 10):
        members = sorted(events[event], key=lambda one: int(re.findall(r"\d+", one)[1]))[:16]
        texts = [
            "\n".join(_join(tokens) for _, tokens in sorted(articles[one].items()))
            for one in members
        ]
        yield _cluster(f"ecb-{event}", "news", texts, source=name, licence="CC BY 3.0")


def _join(tokens: list[str]) -> str:
    text = " ".join(tokens)
    text = re.sub(r" ([.,;:!?%)\]'\u2019\u201d]|n't\b|'s\b)", r"\1", text)
    return re.sub(r"([(\[$\u201c\u2018]) ", r"\1", text).replace("`` ", '"').replace(" ''", '"')


def draw_timelines(rng: Draw) -> Iterator[Cluster]:
    """Take updates on an event up to a date that no other set of this project uses."""
    tables = read_events()
    events = sorted({path.split("/")[1] for path in tables})
    for event in _sample(rng, events, 10):
        first, *others = (tables[f"events/{event}/annotator{k}.tsv"] for k in (1, 2, 3))
        full = [
            n
            for n in range(len(first))
            if all(len(t[n]) > 2 and t[n][2].strip() for t in (first, *others))
        ]
        place = full[round((rng.randrange(1, 4) + 0.5) * (len(full) - 1) / 6)]
        texts = [
            (row[0].strip("[]"), row[1].replace("\\n", "\n").strip('"')) for row in first[:place]
        ]
        references = [table[place][2] for table in (first, *others)]
        date = first[place][0].strip("[]")
        yield _cluster(
            f"{event}-{date}",
            "timelines",
            texts,
            source="amazon-science/background-summaries",
            licence="CC BY-NC 4.0",
            references=references,
        )


def read_events() -> dict[str, list[list[str]]]:
    """Read the updates of every event and annotator: date, text, what was before."""
    held = _read("amazon-science/background-summaries", "data/events.tar.gz")
    with tarfile.open(fileobj=io.BytesIO(held)) as archive:
        texts = {
            one.name: archive.extractfile(one).read().decode() for one in archive if one.isfile()
        }
    return {
        path: [row.split("\t") for row in text.splitlines()[1:]] for path, text in texts.items()
    }


def draw_reports(rng: Draw) -> Iterator[Cluster]:
    """Research articles without their abstracts, which are the references."""
    name = "PLOS/allofplos"
    found = []
    for path in _list(name, "allofplos/starter_corpus"):
        if not path.endswith(".xml"):
            continue
        root = ET.fromstring(_read(name, path))
        abstract, body = root.find(".//abstract"), root.find("body")
        if root.get("article-type") != "research-article" or abstract is None or body is None:
            continue
        told = [one for one in body.iter() if one.tag in ("title", "p")]
        blocks = [" ".join("".join(one.itertext()).split()) for one in told]
        title = " ".join("".join(root.find(".//article-title").itertext()).split())
        text = title + "\n\n" + "\n\n".join(blocks)
        if 2_000 < len(text.split()) < 9_000:
            reference = " ".join("".join(abstract.itertext()).split())
            found.append((path, text, reference))
    for path, text, reference in _sample(rng, found, 10):
        yield _cluster(
            Path(path).stem,
            "reports",
            [text],
            source=f"{name}:{path}",
            licence="CC BY 4.0",
            references=[reference],
        )


def draw_mail(rng: Draw) -> Iterator[Cluster]:
    """Threads of the lists of R, a mail a document, with its head."""
    import pyarrow.parquet

    name = "r-mailing-lists/data"
    threads: dict[str, list[dict]] = defaultdict(list)
    for part in (
        "r-help-2025-2029",
        "r-sig-debian",
        "r-sig-hpc",
        "r-sig-db",
        "r-sig-teaching",
        "r-sig-gui",
    ):
        table = pyarrow.parquet.read_table(io.BytesIO(_read(name, f"data/messages/{part}.parquet")))
        for row in table.to_pylist():
            threads[f"{part}/{row['thread_id']}"].append(row)
    fit = [
        key
        for key, rows in threads.items()
        if 4 <= len(rows) <= 12
        and len({row["from_name"] for row in rows}) >= 3
        and sum(len(row["body"].split()) for row in rows) < 4_000
    ]
    for key in _sample(rng, fit, 14):
        rows = sorted(threads[key], key=lambda row: (row["date"], row["message_id"]))
        texts = [
            (
                row["subject"],
                f"From: {row['from_name']}\nDate: {row['date']:%a, %d %b %Y %H:%M:%S +0000}\n"
                f"Subject: {row['subject']}\n\n{row['body']}",
            )
            for row in rows
        ]
        yield _cluster(
            key.replace("/", "-"),
            "mail",
            texts,
            source=f"{name}:{key}",
            licence="public list archive; the collection is MIT",
        )


def draw_meetings(rng: Draw) -> Iterator[Cluster]:
    """Minutes and notes of meetings."""
    folders = {
        "rust-lang/lang-team": ("design-meeting-minutes", "MIT or Apache 2.0", 6),
        "nodejs/TSC": ("meetings", "MIT", 6),
    }
    for name, (folder, licence, count) in folders.items():
        found = []
        for path in _list(name, folder):
            text = _read(name, path).decode(errors="replace") if path.endswith(".md") else ""
            if 500 < len(text.split()) < 6_000:
                found.append((path, text))
        for path, text in _sample(rng, found, count):
            yield _cluster(
                Path(path).stem, "meetings", [text], source=f"{name}:{path}", licence=licence
            )


def draw_chats(rng: Draw) -> Iterator[Cluster]:
    """Chats: messages (SAMSum), dialogues (DialogSum), a channel (Monero)."""
    import pyarrow as pa

    name = "Koverbay/2022-NLP-Samsum-Aug"
    table = pa.ipc.open_stream(_read(name, "data/samsum-orig-prompt/dataset.arrow")).read_all()
    rows = [
        (row["id"], row["dialogue"].removeprefix("Generate a correct summary. "), row["summary"])
        for row in table.to_pylist()
        if len(row["dialogue"].split()) >= 200
    ]
    for key, text, reference in _sample(rng, rows, 12):
        yield _cluster(
            f"samsum-{key}",
            "chats",
            [text],
            source=name,
            licence="CC BY-NC-ND 4.0",
            references=[reference],
        )
    name = "cylnlp/dialogsum"
    lines = _read(name, "DialogSum_Data/dialogsum.test.jsonl").decode().splitlines()
    rows = [
        (one["fname"], one["dialogue"].replace("#", ""), one["summary1"])
        for one in map(json.loads, lines)
        if len(one["dialogue"].split()) >= 200
    ]
    for key, text, reference in _sample(rng, rows, 5):
        yield _cluster(
            key, "chats", [text], source=name, licence="CC BY-NC-SA 4.0", references=[reference]
        )
    name = "monero-project/research-lab"
    for path in _list(name, "meta/research-meeting-logs"):
        if path.endswith("2018.txt"):
            text = _read(name, path).decode(errors="replace")
            yield _cluster(Path(path).stem, "chats", [text], source=f"{name}:{path}", licence="MIT")


def draw_issues(rng: Draw) -> Iterator[Cluster]:
    """Issues as a page shows them: who commented when, then what was said."""
    name = "tlswg/draft-ietf-tls-esni"
    issues = json.loads(_read(name, "archive.json"))["issues"]
    fit = [
        one["number"]
        for one in issues
        if one["state"] == "CLOSED"
        and 4 <= len(one["comments"]) <= 20
        and 200 < sum(len(x["body"].split()) for x in [one, *one["comments"]]) < 3_000
    ]
    by_number = {one["number"]: one for one in issues}
    for number in _sample(rng, fit, 10):
        one = by_number[number]
        posts = [
            f"**{one['author']}** opened this issue on {one['createdAt'][:10]}\n\n{one['body']}"
        ]
        posts += [
            f"**{x['author']}** commented on {x['createdAt'][:10]}\n\n{x['body']}"
            for x in one["comments"]
        ]
        text = f"# {one['title']} #{number}\n\n" + "\n\n".join(posts)
        yield _cluster(
            f"esni-{number}",
            "issues",
            [text],
            source=one["url"],
            licence="IETF contribution (BCP 78)",
        )


def draw_health(rng: Draw) -> Iterator[Cluster]:
    """Answers of one source on one disease, a document each."""
    name = "abachaa/MedQuAD"
    found = []
    for folder in ("1_CancerGov_QA", "5_NIDDK_QA", "6_NINDS_QA", "8_NHLBI_QA_XML", "9_CDC_QA"):
        for path in _list(name, folder):
            root = ET.fromstring(_read(name, path))
            answers = [" ".join((one.text or "").split()) for one in root.iter("Answer")]
            answers = [one for one in answers if len(one.split()) >= 60]
            if len(answers) >= 4:
                found.append((path, answers[:8]))
    for path, answers in _sample(rng, found, 10):
        yield _cluster(
            Path(path).stem, "health", answers, source=f"{name}:{path}", licence="CC BY 4.0"
        )


def draw_documents(rng: Draw) -> Iterator[Cluster]:
    """Single documents: specifications, pages, manuals, incidents, announcements, policies."""
    name = "python/peps"
    paths = [path for path in _list(name, "peps") if re.fullmatch(r"peps/pep-\d{4}\.rst", path)]
    read = {"572", "703", "0572", "0703"}
    paths = [path for path in paths if path[9:13] not in read]
    sizes = {path: len(_read(name, path).split()) for path in _sample(rng, paths, 40)}
    for path in [path for path in sizes if 800 < sizes[path] < 12_000][:10]:
        yield _single(name, path, "specification", "public domain or CC0")
    blog = [path for path in _list("pypi/warehouse", "docs/blog/posts") if path.endswith(".md")]
    told = [
        path
        for path in blog
        if re.search(r"incident|attack|takeover|phish|exfiltration|confusion|abuse", path)
    ]
    for path in _sample(rng, told, 6):
        yield _single("pypi/warehouse", path, "incident", "Apache 2.0")
    for path in _sample(rng, [path for path in blog if path not in told], 6):
        yield _single("pypi/warehouse", path, "announcement", "Apache 2.0")
    for path in _sample(rng, _list("github/site-policy", "Policies"), 6):
        yield _single("github/site-policy", path, "policy", "CC0")


def _single(name: str, path: str, kind: str, licence: str) -> Cluster:
    text = _read(name, path).decode(errors="replace")
    if kind in ("announcement", "incident", "policy"):
        text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)  # settings of the site
    return _cluster(Path(path).stem, kind, [text], source=f"{name}:{path}", licence=licence)


def draw_pages(rng: Draw) -> Iterator[Cluster]:
    """Pages of packages: the long description that a wheel carries."""
    versions = _locked_versions()
    for name in _sample(rng, PAGES, 14):
        with tempfile.TemporaryDirectory() as folder:
            wanted = f"{name}=={versions[name]}" if name in versions else name
            subprocess.run(
                ["pip", "download", "-q", "--no-deps", "-d", folder, wanted],
                check=True,
                capture_output=True,
            )
            file = next(Path(folder).iterdir())
            text, version, licence = _description(file)
        if len(text.split()) > 200:
            yield _cluster(
                name, "package page", [text], source=f"{name}=={version}", licence=licence
            )


def _description(file: Path) -> tuple[str, str, str]:
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as archive:
            head = archive.read(
                next(x for x in archive.namelist() if x.endswith(".dist-info/METADATA"))
            )
    else:
        with tarfile.open(file) as archive:
            member = next(
                x for x in archive if x.name.count("/") == 1 and x.name.endswith("PKG-INFO")
            )
            head = archive.extractfile(member).read()
    message = message_from_bytes(head)
    text = message.get_payload(decode=True).decode() or message["Description"] or ""
    return (
        text,
        message["Version"],
        (message["License-Expression"] or message["License"] or "see its page")[:60],
    )


def draw_manuals(rng: Draw) -> Iterator[Cluster]:
    """Manual pages of packages of Debian 12, as a terminal shows them."""
    for name in _sample(rng, MANUALS, 14):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                ["apt-get", "download", "-q", name], cwd=folder, check=True, capture_output=True
            )
            package = next(Path(folder).glob("*.deb"))
            subprocess.run(["dpkg-deb", "-x", package.name, "x"], cwd=folder, check=True)
            pages = sorted(Path(folder).glob("x/usr/share/man/man[158]/*.gz"))
            own = [
                page for page in pages if page.name.split(".")[0] == name.split("-")[0]
            ] or pages[:1]
            if not own or own[0].is_symlink():
                continue
            shown = subprocess.run(
                ["man", "-l", "-Tutf8", "--nj", "--nh", str(own[0])],
                check=True,
                capture_output=True,
                env={"MANWIDTH": "80", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
            )
        text = re.sub("\x1b\\[[0-9;]*m|.\x08", "", shown.stdout.decode())
        if len(text.split()) > 200:
            yield _cluster(
                own[0].name[:-3], "manual", [text], source=package.name, licence="see the package"
            )


DRAWS: tuple[Callable[[Draw], Iterator[Cluster]], ...] = (
    draw_news,
    draw_timelines,
    draw_reports,
    draw_mail,
    draw_meetings,
    draw_chats,
    draw_issues,
    draw_health,
    draw_documents,
    draw_pages,
    draw_manuals,
)


def _locked_versions() -> dict[str, str]:
    locks = [path for path in (LOCK, *HERE.glob("mainpoint/*/pool.json")) if path.is_file()]
    held = [json.loads(path.read_text(encoding="utf-8"))["clusters"] for path in locks]
    sources = [row["source"] for rows in held for row in rows]
    return dict(source.split("==") for source in sources if "==" in source)


def gather(seed: int, without: set[str]) -> list[Cluster]:
    """Draw everything, but for some clusters."""
    found = []
    for draw in DRAWS:
        for cluster in draw(random.Random(f"{seed} {draw.__name__}")):
            if cluster["id"] in without:
                continue
            cluster["budget"] = BUDGETS.get(cluster["kind"], BUDGET)
            cluster["sha256"] = fingerprint(cluster)
            found.append(cluster)
    return found


def fingerprint(cluster: Cluster) -> str:
    """Return the hash of the texts."""
    texts = [[one["title"], one["text"]] for one in cluster["documents"]]
    return hashlib.sha256(json.dumps(texts, ensure_ascii=False).encode()).hexdigest()


def main() -> None:
    """Gather the pool, and check it against its lock or write that."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pool", type=Path)
    parser.add_argument("--mirrors", type=Path, help="folder of clones, owner+name/repo each")
    parser.add_argument("--lock", action="store_true")
    parser.add_argument("--development", action="store_true", help="none of those that are locked")
    options = parser.parse_args()
    MIRRORS[:] = [options.mirrors] if options.mirrors else []
    locked = {}
    if not options.lock:
        rows = json.loads(LOCK.read_text(encoding="utf-8"))["clusters"]
        locked = {row["id"]: row["sha256"] for row in rows}
    found = gather(SEED + options.development, set(locked) if options.development else set())
    with options.pool.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in found)
    columns = ("id", "kind", "source", "licence", "budget", "sha256")
    rows = [{name: one[name] for name in columns} for one in found]
    if options.lock:
        lock = {"seed": SEED, "commits": REPOSITORIES, "clusters": rows}
        LOCK.write_text(json.dumps(lock, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    for row in rows:
        if not options.development and locked[row["id"]] != row["sha256"]:
            print(f"{row['id']}: not the text that was locked")


if __name__ == "__main__":
    main()
