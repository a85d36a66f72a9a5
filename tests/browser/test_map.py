"""The map of sites in a browser: wide, on a phone, by keyboard; with many points on a canvas."""

import numpy as np
import pytest
from playwright.sync_api import expect

import maxcover as mc
from tests.uses.sites.test_places import FRAME

LOOKS = {
    "wide": {},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True},
}


@pytest.fixture(scope="module")
def hubs(tmp_path_factory):
    path = tmp_path_factory.mktemp("map") / "hubs.html"
    problem = mc.CoverageProblem.from_points(
        FRAME, FRAME, radius="500 km", weights="people", budget=5
    )
    mc.SiteMap(mc.solve(problem)).save(path)
    return path.as_uri()


@pytest.mark.parametrize("look", LOOKS)
def test_it_fits_and_is_accessible(watch, hubs, find_violations, look):
    watched = watch(bypass_csp=True, **LOOKS[look])  # axe itself is a script
    watched.page.goto(hubs)
    assert watched.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert find_violations(watched.page) == []
    watched.assert_quiet("file:")


def test_the_keyboard_is_enough(watch, hubs):
    page = watch().page
    page.goto(hubs)
    page.keyboard.press("Tab")
    expect(page.locator("#said")).to_contain_text("1. Amsterdam: cost 1, reaches 35.4, alone 35.4")
    before = page.locator("#map > svg").get_attribute("viewBox")
    page.keyboard.press("+")
    expect(page.locator("#map > svg")).not_to_have_attribute("viewBox", before)
    page.locator("tbody tr").nth(3).focus()
    expect(page.locator("#said")).to_contain_text("4. Milan")
    page.get_by_role("button", name="Whole map").press("Enter")
    expect(page.locator("#map > svg")).to_have_attribute("viewBox", before)


def test_many_points_are_painted(watch, tmp_path):
    demand = np.random.default_rng(1).random((30_000, 2))
    problem = mc.CoverageProblem.from_points(demand[:40], demand, radius=0.2, budget=4)
    mc.SiteMap(mc.solve(problem)).save(tmp_path / "many.html")
    watched = watch()
    watched.page.goto((tmp_path / "many.html").as_uri())
    painted = """() => {
      const canvas = document.querySelector("canvas"), brush = canvas.getContext("2d");
      const data = brush.getImageData(0, 0, canvas.width, canvas.height).data;
      return data.filter((value, k) => k % 4 === 3 && value > 0).length / (data.length / 4);
    }"""
    assert watched.page.evaluate(painted) > 0.2
    watched.assert_quiet("file:")
