"""A real browser; where there is none and MAXCOVER_CHROMIUM names none, tests are skipped."""

import os
import shutil
import time

import pytest


@pytest.fixture(scope="module")  # no longer: its event loop would be in the way of other tests
def chromium():
    asked = os.environ.get("MAXCOVER_CHROMIUM")
    path = asked or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no chromium is installed")
    playwright = pytest.importorskip("playwright.sync_api")
    playwright.expect.set_options(timeout=60_000)
    with playwright.sync_playwright() as driver:
        # the sandbox of the browser needs rights that containers do not have
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Watched:
    """A page that notes everything that must not happen."""

    def __init__(self, context):
        self.page = context.new_page()
        self.dialogs, self.errors, self.requests, self.booms = [], [], [], []
        self.page.on(
            "dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss())
        )
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.expose_function("boom", self._boom)

    def _boom(self, number):
        self.booms.append(number)

    def _note(self, message):
        if message.type in {"error", "warning"}:
            self.errors.append(message.text)

    def wait_until(self, condition):
        """Let the page go on until something holds; a minute is the patience of all waits here."""
        until = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < until
            self.page.wait_for_timeout(50)

    def assert_quiet(self, origin):
        """Nothing ran, nothing was asked of another place, and nothing was blocked."""
        assert self.booms == []
        assert self.dialogs == []
        assert self.errors == []
        elsewhere = [url for url in self.requests if not url.startswith((origin, "blob:"))]
        assert elsewhere == []


@pytest.fixture
def watch(chromium):
    """Open a context; options are those of the browser, such as viewport or color_scheme."""
    contexts = []

    def begin(**options):
        context = chromium.new_context(**options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        return Watched(context)

    yield begin
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def find_violations():
    from scripts import check_pages

    def find(page):
        page.evaluate(check_pages.axe())
        found = page.evaluate("axe.run().then((result) => result.violations)")
        return [
            (violation["id"], violation["nodes"][0]["html"])
            for violation in found
            if violation["impact"] in {"serious", "critical"}
        ]

    return find
