"""`scripts/check_pages.py` finds what is wrong with a page, and nothing on one that is right."""

from scripts import check_pages

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title></head>
<body><main><h1>Title</h1><article class="bd-article"><section>{}</section></article></main></body>
</html>"""
RIGHT = "<p>One paragraph.</p><p>Another one.</p>"
WRONG = {
    "scroll sideways": '<p style="width: 3000px">Too wide.</p>',
    "overlaps": '<p>Below.</p><p style="margin-top: -2em">Above.</p>',
    "image-alt": '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
    "color-contrast": '<p style="color: #ccc; background: #fff">Pale.</p>',
    "asks for": '<p><img alt="" src="http://127.0.0.2:9/x.png"></p>',
    "script": "<script>nothing.there()</script>",
}


def test_what_is_wrong_is_found(watch, tmp_path):
    for number, body in enumerate([RIGHT, *WRONG.values()]):
        (tmp_path / f"{number}.html").write_text(PAGE.format(body))
    home = check_pages.served(tmp_path)
    assert check_pages.pages(tmp_path, quick=False) == [f"{k}.html" for k in range(len(WRONG) + 1)]
    assert check_pages.faults(watch().page, f"{home}0.html") == []
    for number, expected in enumerate(WRONG, start=1):
        found = check_pages.faults(watch().page, f"{home}{number}.html")
        assert any(expected in fault for fault in found), (expected, found)
