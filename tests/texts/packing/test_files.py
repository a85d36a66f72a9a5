"""Files: what patterns name, what ignore files leave out, and parts with their lines."""

import json
import re
import subprocess
import sys

import pytest

from maxcover.errors import InfeasibleError, OptionError
from maxcover.texts.packing import map_files, pack_files
from maxcover.texts.words.estimate import estimate_tokens


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "root"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "build").mkdir()
    (root / "node_modules").mkdir()
    code = "\n\n\n".join(f"def step{k}(x):\n    return x + {k}" for k in range(80))
    (root / "src" / "steps.py").write_text(code)
    (root / "src" / "deep" / "cache.py").write_text(
        "class Cache:\n    def empty_all(self):\n        self.entries = {}\n        return self\n"
    )
    (root / "build" / "out.py").write_text("x = 1\n")
    (root / "node_modules" / "a.js").write_text("let x = 1;\n")
    (root / "notes.md").write_text("# Notes\n\nThe cache is emptied at noon.\n")
    (root / "secret.log").write_text("a log\n")
    (root / "picture.png").write_bytes(b"\x89PNG\0\0")
    (root / ".gitignore").write_text("build/\n*.log\n")
    (tmp_path / "outside.py").write_text("outside = 1\n")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    return root


@pytest.mark.parametrize("budget", [30, 60, 200])
def test_parts_are_lines_of_files(folder, budget):
    packed = pack_files("**", query="how is the cache emptied", budget=budget, root=folder)
    # code has more tokens than the estimate for prose says
    assert estimate_tokens(packed.text) <= packed.cost <= budget
    exact = pack_files("**", query="how is the cache emptied", budget=5 * budget, root=folder,
                       unit="characters")  # fmt: skip
    assert len(exact.text) == exact.cost <= 5 * budget
    assert packed.parts
    for path, first, last in packed.parts:
        lines = (folder / path).read_text().splitlines()[first - 1 : last]
        assert "\n".join([f"{path}:{first}-{last}", *lines]) in packed.text
    if budget >= 200:
        assert "    def empty_all(self):\n" in packed.text


def test_maps_keep_within_the_budget(folder):
    full = map_files("**", budget=10_000, root=folder)
    assert "  2     def empty_all(self)" in full
    assert "  1 # Notes" in full
    for budget in (0, 3, 10, 30, 100, 300):
        assert estimate_tokens(map_files("**", budget=budget, root=folder)) <= budget
    assert "class Cache" in map_files("**", budget=60, query="cache", root=folder)


def test_a_map_leaves_out_files_without_words(tmp_path):
    (tmp_path / "a.json").write_text("{}\n")
    (tmp_path / "b.py").write_text("def empty_cache():\n    return 1\n")
    shown = map_files("**", budget=60, query="cache", root=tmp_path)
    assert shown == "b.py\n  1 def empty_cache()"


def test_the_command_line_packs_files(folder):
    command = [sys.executable, "-m", "maxcover", "pack"]
    done = subprocess.run(
        [*command, "--query", "empty the cache", "--budget", "40", "--files", "src/**/*.py"],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    assert done.stdout.startswith("src/deep/cache.py:1-4\n")


def test_receipts_of_files(folder):
    packed = pack_files("**", query="how is the cache emptied", budget=60, root=folder)
    shown = {path for path, _, _ in packed.parts}
    left = {one.path: one for one in packed.left_out}
    assert shown.isdisjoint(left)
    assert shown | set(left) == {"src/steps.py", "src/deep/cache.py", "notes.md"}
    assert left["src/steps.py"].kind == "matches nothing"
    assert "left out" in packed.explain()
    plain = json.loads(packed.to_json())
    assert plain["schema"] == "maxcover.packed_files/1"
    assert plain["text"] == packed.text
    nothing = pack_files("**", query="zebra", budget=60, root=folder)
    assert (nothing.text, nothing.n_matching) == ("", 0)
    assert "Nothing matches the query." in nothing.explain()


def test_what_is_required_of_files_stays(folder):
    options = {"query": "cache", "root": folder}
    packed = pack_files("**", budget=2000, required="src/steps.py", **options)
    assert "def step79(x):" in packed.text
    packed = pack_files("**", budget=60, required=[re.compile("step7[0-1]")], **options)
    assert "step70" in packed.text
    assert "step71" in packed.text
    with pytest.raises(InfeasibleError, match="required"):
        pack_files("**", budget=20, required="src/steps.py", **options)
    with pytest.raises(OptionError, match="required"):
        pack_files("**", budget=20, required="src/none.py", **options)


def test_orders_limits_and_room_of_files(folder):
    options = {"query": "cache steps", "root": folder, "budget": 150}
    by_path = pack_files("**", order="document", **options)
    assert [part[0] for part in by_path.parts] == sorted(part[0] for part in by_path.parts)
    assert pack_files("**", room=150, **options).text == ""
    assert pack_files("**", room="many words " * 10, **options).cost <= 130
    few = pack_files("**", per_document=25, **options)
    assert few.cost < pack_files("**", **options).cost


def test_copies_are_shown_once(tmp_path):
    code = "def empty_cache(cache):\n    cache.clear()\n    return cache\n"
    (tmp_path / "a.py").write_text(code)
    (tmp_path / "b.py").write_text(code)
    packed = pack_files("**", query="empty the cache", budget=200, root=tmp_path)
    assert [path for path, _, _ in packed.parts] == ["a.py"]
    assert packed.left_out[0].kind == "repeats"


def test_tests_count_half_unless_asked_for(tmp_path):
    (tmp_path / "tests").mkdir()
    body = "    cache = load()\n    cache.empty()\n    return cache\n"
    (tmp_path / "tests" / "cache.py").write_text(f"def check_empty():\n{body}")
    (tmp_path / "store.py").write_text(f"def empty_it():\n{body}")
    first = pack_files("**", query="empty the cache", budget=100, root=tmp_path).parts[0][0]
    assert first == "store.py"
    asked = pack_files("**", query="tests that empty the cache", budget=100, root=tmp_path)
    assert asked.parts[0][0] == "tests/cache.py"


def test_an_index_on_disk_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("maxcover.texts.packing.file_index._WORTH_KEEPING", 0)
    root, kept = tmp_path / "root", tmp_path / "kept"
    root.mkdir()
    for k in range(8):
        (root / f"m{k}.py").write_text(f"def step{k}(cache):\n    return cache.empty({k})\n")
    options = {"query": "step3 of the cache", "budget": 60, "root": root}
    plain = pack_files("**", index=False, **options)
    for _ in range(2):
        assert pack_files("**", index=kept, **options).text == plain.text
    (root / "m3.py").write_text("def other(x):\n    return x\n")
    (root / "m9.py").write_text("def step3(cache):\n    return cache.full()\n")
    changed = pack_files("**", index=kept, **options)
    assert changed.text == pack_files("**", index=False, **options).text != plain.text
    (path,) = kept.rglob("words-2.npz")
    assert b"step" not in path.read_bytes()
    path.write_bytes(b"damaged")
    assert pack_files("**", index=kept, **options).text == changed.text
