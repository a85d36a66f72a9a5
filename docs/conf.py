"""How Sphinx builds the site; `scripts/docs` calls it."""

from __future__ import annotations

import json
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

project = "maxcover"
author = "The maxcover developers"
project_copyright = "2026, The maxcover developers"
try:
    release = metadata.version("maxcover")
except metadata.PackageNotFoundError:  # a source tree on the path, not installed
    release = "development"
site = "https://maxcover.github.io/maxcover/"
repository = "https://github.com/maxcover/maxcover"
ROOT = Path(__file__).parents[1]
# where the sources of each package are: name -> folder
SOURCES = {
    path.name: path.relative_to(ROOT).as_posix()
    for path in (ROOT / "src" / "maxcover", *ROOT.glob("packages/*/src/*"))
}

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.githubpages",
    "sphinx.ext.linkcode",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "figures"]
default_role = "py:obj"

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "auto"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_show_tb = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "maxcover"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_baseurl = site
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["llms.txt"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "changelog": [], "gallery": []}
html_theme_options = {
    "logo": {"text": "maxcover", "alt_text": "maxcover, start page"},
    "github_url": repository,
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """Link an object of the reference to the lines that define it."""
    import inspect

    if domain != "py" or not info["module"]:
        return None
    thing: Any = sys.modules.get(info["module"])
    for part in info["fullname"].split("."):
        thing = getattr(thing, part, None)
    try:
        thing = inspect.unwrap(getattr(thing, "fget", thing))
        lines, first = inspect.getsourcelines(thing)
        path = Path(inspect.getsourcefile(thing) or "").as_posix()
    except (OSError, TypeError):
        return None
    package = info["module"].partition(".")[0]
    inside = path.rpartition(f"/{package}/")[2]
    home = f"{repository}/blob/main/{SOURCES[package]}/{inside}"
    return f"{home}#L{first}-L{first + len(lines) - 1}"


def _write_formula(translator: Any, node: nodes.Element, *, block: bool) -> None:
    formula = tex2mathml(node.astext(), as_block=block)
    if block:
        # a wide formula is scrolled by itself, also with the keyboard; the page is not
        formula = (
            f'<div class="math" role="group" aria-label="Formula" tabindex="0">{formula}</div>'
        )
    translator.body.append(formula)
    raise nodes.SkipNode


def _write_inline(translator: Any, node: nodes.Element) -> None:
    _write_formula(translator, node, block=False)


def _write_block(translator: Any, node: nodes.Element) -> None:
    _write_formula(translator, node, block=True)


def _link_notebooks(app: Any, error: Exception | None) -> None:
    """Let the links of downloadable notebooks lead to the site: they are read elsewhere."""
    for path in () if error else Path(app.outdir, "_downloads").rglob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            text = re.sub(r"\]\(\.\./([\w/-]+)\.md", rf"]({site}\1.html", "".join(cell["source"]))
            text = re.sub(r"\]\(([\w-]+)\.md", rf"]({site}tutorials/\1.html", text)
            cell["source"] = text
        path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")


def setup(app: Any) -> None:
    """Formulas as MathML: no script, nothing from the network."""
    app.add_html_math_renderer("mathml", (_write_inline, None), (_write_block, None))
    app.connect("build-finished", _link_notebooks)
