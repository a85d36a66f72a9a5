"""Files: what patterns name, what ignore files leave out, and parts with their lines."""

import subprocess
import sys

import pytest

import maxcover as mc
from maxcover.packing import map_files, pack_files
from maxcover.text.words.estimate import estimate_tokens


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


def test_every_part_pays_for_the_line_with_its_path():
    code = "\n\n\n".join(f"def bark{k}(dog):\n    return {k}" for k in range(20))
    options = {"query": "bark", "unit": "characters", "documents": ["a.py"]}
    located = mc.pack([code], budget=200, headers=["a.py:{lines}\n"], **options)
    lines = code.splitlines()
    parts = located.text.split("\n\na.py:")
    assert len(located.text) <= 200
    for part in [parts[0].removeprefix("a.py:"), *parts[1:]]:
        numbers, _, shown = part.partition("\n")
        first, last = map(int, numbers.split("-"))
        assert shown == "\n".join(lines[first - 1 : last])


def test_maps_keep_within_the_budget(folder):
    full = map_files("**", budget=10_000, root=folder)
    assert "  2     def empty_all(self)" in full
    assert "  1 # Notes" in full
    for budget in (0, 3, 10, 30, 100, 300):
        assert estimate_tokens(map_files("**", budget=budget, root=folder)) <= budget
    assert "class Cache" in map_files("**", budget=60, query="cache", root=folder)


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
