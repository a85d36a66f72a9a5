"""What a release is made of: the bill of materials, the recipe for conda-forge, the workflows."""

import base64
import csv
import hashlib
import json
import re
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest
from scripts import add_sbom, release_text

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RECIPE = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")

METADATA = """Metadata-Version: 2.4
Name: maxcover
Version: 1.2.3
License-Expression: Apache-2.0
Requires-Dist: numpy>=1.26
Requires-Dist: PyStemmer>=2.2; python_version > "3"
Requires-Dist: matplotlib>=3.8; extra == "plots"
"""


def test_a_wheel_gets_a_bill_once(tmp_path):
    wheel = tmp_path / "maxcover-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("maxcover/__init__.py", "")
        file.writestr("maxcover-1.2.3.dist-info/METADATA", METADATA)
        file.writestr("maxcover-1.2.3.dist-info/RECORD", "maxcover/__init__.py,,\n")
    path = add_sbom.add(wheel)
    assert path == "maxcover-1.2.3.dist-info/sboms/maxcover.cdx.json"
    before = wheel.read_bytes()
    add_sbom.add(wheel)
    assert wheel.read_bytes() == before
    with zipfile.ZipFile(wheel) as file:
        assert file.testzip() is None
        assert len(file.namelist()) == len(set(file.namelist())) == 4
        text = file.read(path)
        lines = file.read("maxcover-1.2.3.dist-info/RECORD").decode().splitlines()
    recorded = {name: (digest, size) for name, digest, size in csv.reader(lines)}
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).decode().rstrip("=")
    assert recorded[path] == (f"sha256={digest}", str(len(text)))
    found = json.loads(text)
    assert found["metadata"]["component"]["purl"] == "pkg:pypi/maxcover@1.2.3"
    assert [part["name"] for part in found["components"]] == ["numpy", "PyStemmer"]
    assert found["dependencies"][0]["dependsOn"] == ["pkg:pypi/numpy", "pkg:pypi/pystemmer"]


def test_the_recipe_asks_for_what_the_package_asks_for():
    asked = re.search(r"\n  run:\n    - python\n((?:    - .+\n)+)", RECIPE)[1]
    found = [line.removeprefix("    - ").replace(" ", "") for line in asked.splitlines()]
    assert found == [line.lower() for line in PROJECT["project"]["dependencies"]]
    for requirement in PROJECT["build-system"]["requires"]:
        assert f"- {requirement.replace('>=', ' >=')}\n" in RECIPE


def test_one_version_everywhere():
    found = release_text.versions(ROOT)
    assert {*found.values()} == {PROJECT["project"]["version"]}
    assert len([name for name in found if name.startswith("packages/")]) == 3


def test_siblings_carry_the_licence():
    for path in ROOT.glob("packages/*/LICENSE"):
        assert path.read_bytes() == (ROOT / "LICENSE").read_bytes()


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit(path):
    used = re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
    assert used
    for action in used:
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_steps_call_scripts_that_are_there(path):
    for name in re.findall(r"run: (?:sudo )?(scripts/[\w.-]+)", path.read_text(encoding="utf-8")):
        script = ROOT / name
        assert script.exists()
        assert script.stat().st_mode & 0o100, f"{name} cannot be run"


CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_changelog_has_the_version_with_ten_highlights_and_what_breaks():
    text = release_text.notes(CHANGELOG, PROJECT["project"]["version"])
    highlights = re.search(r"### Highlights\n\n(.*?)\n\n", text, re.DOTALL)[1]
    assert 1 <= len(re.findall(r"^\d+\. ", highlights, re.MULTILINE)) <= 10
    assert "### What breaks\n" in text
    date = re.search(rf"^## \[{PROJECT['project']['version']}\] - (\S+)$", CHANGELOG, re.MULTILINE)[
        1
    ]
    assert f"\ndate-released: {date}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("maxcover solve a.npz --out b.json", "maxcover solve a.npz --output b.json"),
        ("maxcover summarize a --out=b.md", "maxcover summarize a --output=b.md"),
        ("maxcover batch a out/ --output b", "maxcover batch a out/ --output b"),
        ("maxcover solve a.npz --target 95%", "maxcover cover a.npz --target 95%"),
        ("maxcover solve a.npz --target-gap 0.1", "maxcover solve a.npz --target-gap 0.1"),
        ("from maxcover.engines import local", "from maxcover.batch import local"),
        ("maxcover.engines.spark.summarize(df)", "maxcover.batch.spark.summarize(df)"),
        ('mc.pack(texts, budget=9, method="quick")', 'mc.pack(texts, budget=9, effort="fast")'),
        ("text.split()", "text.split()"),
    ],
)
def test_the_changelog_renames_what_was_renamed(old, new, tmp_path):
    command = re.search(r"```sh\n(sed .*?)    my_script", CHANGELOG, re.DOTALL)[1]
    script = tmp_path / "script"
    script.write_text(old + "\n")
    subprocess.run(["/bin/sh", "-c", f"{command} script"], cwd=tmp_path, check=True)
    assert script.read_text() == new + "\n"
