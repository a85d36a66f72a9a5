"""Put a bill of materials into wheels, as PEP 770 asks: python scripts/add_sbom.py WHEEL...

CycloneDX 1.6 in ``.dist-info/sboms/``: what is inside the wheel, and what it asks pip to install.
The same wheel gets the same bytes; a wheel that has one already stays as it is.
"""

import base64
import hashlib
import json
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).parent.parent
NAME = "maxcover.cdx.json"


def bill(metadata: str, build_requirements: list[str]) -> dict:
    """Return the bill of materials of a wheel with this METADATA."""
    about = Parser().parsestr(metadata)
    own = f"pkg:pypi/{about['Name']}@{about['Version']}"
    needed = [
        line.partition(";")[0].strip()
        for line in about.get_all("Requires-Dist") or []
        if "extra ==" not in line
    ]
    cython = next(line for line in build_requirements if line.startswith("cython"))
    parts = [_component(line, "required") for line in needed]
    # its support code is in every compiled kernel
    inside = {**_component(cython, "required"), "licenses": [{"license": {"id": "Apache-2.0"}}]}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": about["Name"],
                "version": about["Version"],
                "purl": own,
                "licenses": [{"license": {"id": about["License-Expression"]}}],
                "components": [inside],
            }
        },
        "components": parts,
        "dependencies": [
            {"ref": own, "dependsOn": [part["bom-ref"] for part in parts]},
            *({"ref": part["bom-ref"]} for part in parts),
        ],
    }


def _component(requirement: str, scope: str) -> dict:
    name = requirement
    for sign in "<>=!~ [":
        name = name.partition(sign)[0]
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{name.lower()}",
        "name": name,
        "scope": scope,
        "purl": f"pkg:pypi/{name.lower()}",
        "description": f"any version that fits {requirement}",
    }


def add(wheel: Path) -> str:
    """Write the bill into a wheel and its RECORD; return the path inside."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    with zipfile.ZipFile(wheel) as old:
        entries = [(entry, old.read(entry)) for entry in old.infolist()]
    record = next(entry for entry, _ in entries if entry.filename.endswith(".dist-info/RECORD"))
    home = record.filename.rpartition("/")[0]
    path = f"{home}/sboms/{NAME}"
    contents = {entry.filename: content for entry, content in entries}
    if path in contents:
        return path
    found = bill(contents[f"{home}/METADATA"].decode(), project["build-system"]["requires"])
    text = (json.dumps(found, indent=1) + "\n").encode()
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
    line = f"{path},sha256={digest},{len(text)}\n".encode()
    entry = zipfile.ZipInfo(path, record.date_time)
    entry.compress_type, entry.external_attr = record.compress_type, record.external_attr
    made = wheel.with_suffix(".part")
    with zipfile.ZipFile(made, "w") as new:
        for kept, content in entries:
            if kept is record:
                new.writestr(entry, text)
            new.writestr(kept, content + line if kept is record else content)
    made.replace(wheel)
    return path


if __name__ == "__main__":
    for given in sys.argv[1:]:
        print(f"{given}: {add(Path(given))}")
