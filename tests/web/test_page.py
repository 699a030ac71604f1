"""The page in a real browser, against a real server: what a planner does, with the mouse and without."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from .browser import Browser, Screen, chromium
from .conftest import Running

SQUARE = {
    "format": "minmaxvrp-instance",
    "version": 1,
    "vehicles": 2,
    "depots": [{"name": "Yard", "x": 5.0, "y": 5.0}],
    "customers": [
        {"name": "North", "x": 5.0, "y": 9.0, "service": 0.5},
        {"name": "East", "x": 9.5, "y": 5.5},
        {"name": "South", "x": 5.0, "y": 1.0},
        {"name": "West", "x": 1.0, "y": 4.0},
        {"name": "<img src=x onerror=document.title='broken'>", "x": 8.0, "y": 8.0},
    ],
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of this file."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def screen(browser: Browser, server: Running) -> Iterator[Screen]:
    """The page as a planner finds it; afterwards no script may have failed."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    screen = Screen(context.new_page(), server.address)
    yield screen
    context.close()
    assert screen.faults == []
    assert all(url.startswith((server.address, "blob:")) for url in screen.requested)


def test_an_example_becomes_a_plan_that_improves(screen: Screen) -> None:
    """Two clicks: the routes appear, the longest gets shorter, and the words say how good it is."""
    screen.page.click(".example >> nth=0")
    screen.page.wait_for_selector("#counts:has-text('72 stops')")
    screen.solve(2)
    trace = screen.state("state.plan.trace.map((point) => point.makespan)")
    assert trace[-1] < trace[0]
    screen.has("#bars li", 5)
    screen.has("#bars li.longest", 1)
    assert re.fullmatch(
        r"Proven optimal|At most [\d.]+ % from the best possible", screen.page.inner_text("#gap-words")
    )
    assert screen.page.inner_text("#makespan").endswith(" km")
    screen.has("#chart .chart-bound", 1)
    rows = screen.page.locator("#table .row").all_inner_texts()
    assert rows[0].split("\n")[1:] == [
        "from Town Depot",
        screen.page.inner_text("#bars li >> nth=0").split("\n")[1],
    ]


def test_a_dragged_stop_changes_the_plan_which_is_solved_again(screen: Screen) -> None:
    """Lengths follow the mouse; after the drop the search goes on from the present routes; undo undoes."""
    screen.load(SQUARE)
    screen.solve()
    before = screen.state("[state.doc.customers[1].at, state.plan.makespan]")
    x, y = screen.pixel("state.doc.customers[1].id")
    screen.page.mouse.move(x, y)
    screen.page.mouse.down()
    screen.page.mouse.move(x - 40, y + 30, steps=4)
    screen.until("state.plan.changed")
    screen.page.mouse.up()
    screen.until("state.solving || !state.plan.changed")
    screen.settle()
    after = screen.state("[state.doc.customers[1].at, state.plan.makespan, state.plan.changed]")
    assert after[0] != before[0]
    assert after[2] is False
    routed = screen.state("state.plan.routes.flatMap((route) => route.customers).length")
    assert routed == len(SQUARE["customers"])  # type: ignore[arg-type]
    screen.page.keyboard.press("Control+z")
    screen.until(f"state.doc.customers[1].at[0] === {before[0][0]}")


def test_the_page_measures_routes_as_the_checker_does(screen: Screen) -> None:
    """The lengths under a drag are computed in the page; where nothing moved they are the server's."""
    screen.load(SQUARE)
    screen.solve()
    own = screen.page.evaluate(
        """async () => {
            const { store } = await import('/static/main.js');
            const { measure } = await import('/static/plan.js');
            return measure(store.state.doc, store.state.plan.routes);
        }"""
    )
    plan = screen.state("state.plan")
    for key in ("lengths", "travel", "service"):
        assert own[key] == pytest.approx(plan[key])


def test_hover_and_hiding_agree_in_all_views(screen: Screen) -> None:
    """A bar under the pointer lights its rows in the table; a click hides its route."""
    screen.load(SQUARE)
    screen.solve()
    bar = screen.page.locator("#bars button >> nth=1")
    bar.hover()
    screen.until("state.hoverRoute === 1")
    screen.has("#table .row.head:not(.back)", 1)
    bar.click()
    screen.page.wait_for_selector("#bars button[aria-pressed=false] >> nth=0")
    screen.page.wait_for_selector("#table .row.off", state="attached")
    assert screen.state("map.stopAt(...map.pixelOf(state.plan.routes[1].customers[0]))") is None


def test_a_bad_file_says_why_and_leaves_the_stops_alone(screen: Screen) -> None:
    """The command line's message stands over the map until it is dismissed."""
    screen.load(SQUARE)
    screen.drop("stops.csv", "name,role,lat,lon\nA,depot,52.1,13.1\nB,customer,abc,13.2\n")
    alert = screen.page.locator("[role=alert].notice")
    alert.wait_for()
    assert "stops.csv line 3: latitude = 'abc', expected a number" in alert.inner_text()
    screen.shows("#counts", "5 stops, 1 depot")
    screen.page.click("[aria-label=Dismiss]")
    screen.has("[role=alert].notice", 0)


def test_names_never_become_html(screen: Screen) -> None:
    """A name that looks like an element is shown as text, in every view."""
    screen.load(SQUARE)
    screen.solve()
    screen.has("main img", 0)
    screen.has(".row-name:has-text('<img src=x')", 1)
    assert "broken" not in screen.page.title()


def test_everything_works_with_the_keyboard_alone(screen: Screen) -> None:
    """Add a depot and stops, move one, remove one, solve: no mouse, and a live region that tells."""
    keys = screen.page.keyboard
    for _ in range(40):
        keys.press("Tab")
        if screen.page.evaluate("() => document.activeElement.id") == "map":
            break
    assert screen.page.evaluate("() => document.activeElement.id") == "map"
    keys.press("c")
    for step in ("", "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowRight"):
        if step:
            keys.press(f"Shift+{step}")
        keys.press("Enter")
    screen.shows("#counts", "4 stops, 1 depot")
    keys.press("n")
    keys.press("n")
    before = screen.state("state.doc.customers[0].at")
    keys.press("ArrowDown")
    screen.until("state.doc.customers[0].at[1] < " + str(before[1]))
    screen.page.wait_for_selector("#live:has-text('Stop 1')", state="attached")
    keys.press("Delete")
    screen.shows("#counts", "3 stops, 1 depot")
    screen.page.fill("#seconds", "1")
    screen.page.focus("#map")
    keys.press("s")
    screen.settle()
    screen.page.wait_for_selector("#live:has-text('Finished')", state="attached")
    assert screen.state("state.plan.routes.flatMap((route) => route.customers).length") == 3


def test_every_control_has_a_name_for_screen_readers(screen: Screen) -> None:
    """Buttons, fields and the map say what they are, with a plan and a selected stop on the screen."""
    screen.load(SQUARE)
    screen.solve()
    screen.page.click("#table .row >> nth=1")
    screen.page.click("#open-menu > button")
    nameless = screen.page.evaluate(
        """() => [...document.querySelectorAll('button, input, select, textarea, canvas, [role=img]')]
            .filter((element) => element.checkVisibility())
            .filter((element) => ![element.ariaLabel, element.textContent, element.labels?.[0]?.textContent]
                .some((name) => name?.trim()))
            .map((element) => element.outerHTML)"""
    )
    assert nameless == []


def test_a_vehicle_less_and_a_stop_more_are_solved_from_the_present_routes(screen: Screen) -> None:
    """The routes of the plan keep every rule again after each change, without pressing Solve."""
    screen.load(SQUARE)
    screen.solve()
    screen.page.click("#vehicles-less")
    screen.until("state.plan.routes.length === 1 && !state.plan.changed")
    screen.settle()
    screen.page.keyboard.press("c")
    box = screen.page.locator("#map").bounding_box()
    assert box is not None
    screen.page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.3)
    screen.until("state.doc.customers.length === 6 && !state.plan.changed")
    assert screen.state("state.plan.routes[0].customers.length") == 6


def test_a_stop_is_pinned_to_a_vehicle_with_the_keyboard_and_in_its_card(screen: Screen) -> None:
    """It moves to that vehicle, says so everywhere, is saved with the stops, and undo lets it go again."""
    screen.load(SQUARE)
    screen.solve()
    pinned = "state.doc.customers[0]"
    served = f"state.plan.routes.findIndex((route) => route.customers.includes({pinned}.id))"
    other = 1 - screen.state(served)
    screen.page.focus("#map")
    screen.page.keyboard.press("n")
    screen.page.keyboard.press("n")
    screen.until(f"state.selected === {pinned}.id")
    screen.page.keyboard.press(str(other + 1))
    screen.page.wait_for_selector(f"#live:has-text('North: pinned to Vehicle {other + 1}')", state="attached")
    screen.settle()
    assert screen.state(served) == other
    screen.shows(".row-pin", f"pinned to Vehicle {other + 1}")
    choice = screen.page.get_by_label("Served by")
    assert choice.input_value() == str(other)
    choice.select_option("any vehicle")
    screen.has(".row-pin", 0)
    screen.page.click("#undo")
    screen.has(".row-pin", 1)
    screen.settle()
    assert choice.input_value() == str(other)
    screen.page.click("#export-menu > button")
    with screen.page.expect_download() as caught:
        screen.page.get_by_role("menuitem", name="Stops, to open again").click()
    saved = json.loads(caught.value.path().read_text(encoding="utf-8"))
    assert saved["customers"][0]["vehicles"] == [other + 1]
    screen.load(saved)
    assert screen.state(f"{pinned}.allowed") == [other]


def test_open_routes_and_a_fleet_of_a_file_are_shown_by_the_names_of_their_vehicles(screen: Screen) -> None:
    """Bars in the order of the fleet, no way back, lengths as the checker measures; both go out again."""
    fleet = [{"name": "Anna", "done": 9.0}, {"name": "Ben", "speed": 2.0}, {"name": "Carla"}]
    screen.load({**SQUARE, "vehicles": 3, "return_to": "nowhere", "fleet": fleet})
    assert screen.page.is_checked("input[name=return][value=nowhere]")
    screen.solve()
    names = [text.split("\n")[1] for text in screen.page.locator("#bars li").all_inner_texts()]
    assert names == ["Anna", "Ben", "Carla"]
    screen.has(".row-name:has-text('back at')", 0)
    assert screen.state("state.plan.routes.every((route) => route.end === null)")
    own = screen.page.evaluate(
        """async () => {
            const { store } = await import('/static/main.js');
            const { measure } = await import('/static/plan.js');
            return measure(store.state.doc, store.state.plan.routes).lengths;
        }"""
    )
    assert own == pytest.approx(screen.state("state.plan.lengths"))
    screen.page.click("#export-menu > button")
    assert not screen.page.get_by_role("menuitem", name="Navigation devices").is_visible()
    with screen.page.expect_download() as caught:
        screen.page.get_by_role("menuitem", name="Plan .json").click()
    routes = json.loads(caught.value.path().read_text(encoding="utf-8"))["routes"]
    assert [(route["vehicle"], route["end"]) for route in routes] == [(name, None) for name in names]
    screen.page.check("input[name=return][value=start]", force=True)
    screen.until("!state.plan.changed && state.plan.routes.every((route) => route.end === route.start)")


def test_a_plan_in_a_text_file_is_read_as_the_command_line_reads_it(screen: Screen) -> None:
    """Routes of a .sol file are drawn; a line that is none gets the command line's message."""
    screen.load(SQUARE)
    screen.choose("#plan-file", "day.sol", b"Route #1: 1 2 3\nRoute #2: 4 5\nCost 1\n")
    screen.has("#bars li", 2)
    screen.page.wait_for_selector("#violations:has-text('keeps every rule')")
    screen.choose("#plan-file", "day.sol", b"Route one: 1 2 3\n")
    screen.page.wait_for_selector("[role=alert]:has-text('day.sol line 1')")


def test_rows_of_a_spreadsheet_become_stops(screen: Screen) -> None:
    """Tabs, decimal commas and no header: the first row is the depot."""
    screen.page.click("[data-do=paste]")
    screen.page.fill("textarea", "Hof\t52,5432\t13,3700\nMühle\t52,5170\t13,3889\nCafé\t52,5005\t13,4246")
    screen.has("dialog th", 3)
    assert screen.page.locator("dialog th").all_inner_texts() == ["name", "latitude", "longitude"]
    screen.page.click("dialog button.primary")
    screen.until("state.doc.customers.length === 2")
    assert screen.state("[state.doc.distance, state.doc.depots[0].name]") == ["great_circle", "Hof"]


def test_a_broken_plan_is_shown_with_its_broken_rules(screen: Screen) -> None:
    """A plan that misses a stop is drawn, and the rule it breaks is listed."""
    screen.load(SQUARE)
    plan = {"format": "minmaxvrp-solution", "version": 1, "routes": [{"customers": [1, 2, 3, 4]}]}
    screen.choose("#plan-file", "plan.json", json.dumps(plan).encode())
    screen.page.wait_for_selector("#violations li")
    assert "missing customer" in screen.page.inner_text("#violations")
    screen.has("#bars li", 1)
    screen.shows("#gap-words", "Breaks 1 rule")


def test_a_plan_is_exported_as_shown(screen: Screen) -> None:
    """GeoJSON and a picture are downloads; the routes of the file are those on the screen, in their order."""
    screen.load(SQUARE)
    screen.solve()
    for label, ending in (("Map data", "geojson"), ("Picture to scale", "svg")):
        screen.page.click("#export-menu > button")
        with screen.page.expect_download() as caught:
            screen.page.get_by_role("menuitem", name=label).click()
        assert caught.value.suggested_filename.endswith(f".{ending}")
        content = caught.value.path().read_text(encoding="utf-8")
        if ending == "geojson":
            features = json.loads(content)["features"]
            routes = [f["properties"] for f in features if f["geometry"]["type"] == "LineString"]
            shown = screen.state(
                "state.plan.routes.map((route) => route.customers.map((id) =>"
                " state.doc.customers.findIndex((stop) => stop.id === id) + 1))"
            )
            assert [route["customers"] for route in routes] == shown
        else:
            assert content.startswith("<?xml")


def test_sheets_to_print_have_one_page_per_vehicle(screen: Screen) -> None:
    """On paper there is nothing but the sheets."""
    screen.load(SQUARE)
    screen.solve()
    screen.page.evaluate("() => { window.print = () => {}; }")
    screen.page.click("#export-menu > button")
    screen.page.get_by_role("menuitem", name="Print a sheet").click()
    screen.page.emulate_media(media="print")
    screen.has(".sheet", 2)
    assert screen.page.locator(".sheet >> nth=0").is_visible()
    assert not screen.page.locator("main").is_visible()


def test_stop_keeps_the_best_plan(screen: Screen) -> None:
    """A search of 20 seconds that is stopped leaves its plan on the screen."""
    screen.page.click(".example >> nth=2")
    screen.page.wait_for_selector("#counts:has-text('3 depots')")
    screen.page.fill("#seconds", "20")
    screen.page.click("#solve")
    screen.page.wait_for_selector("#bars li")
    screen.page.click("#solve")
    screen.settle()
    assert screen.state("state.plan.seconds") < 19
    assert screen.state("state.plan.routes.flatMap((route) => route.customers).length") == 72


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_everything_without_scrolling_sideways(
    browser: Browser, server: Running, scheme: Any
) -> None:
    """The page is as wide as the screen and follows the system's choice of light or dark."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme, has_touch=True)
    screen = Screen(context.new_page(), server.address)
    screen.load(SQUARE)
    screen.solve()
    screen.until("document.documentElement.scrollWidth === 390")
    screen.until(f"document.documentElement.dataset.theme === '{scheme}'")
    context.close()


def test_a_long_list_of_stops_keeps_the_page_small(screen: Screen) -> None:
    """With 10,000 stops only the rows in sight are elements."""
    screen.page.click("[data-do=random]")
    screen.page.evaluate("() => document.querySelector('input[name=stops]').removeAttribute('max')")
    screen.page.fill("input[name=stops]", "10000")
    screen.page.click("dialog button.primary")
    screen.until("state.doc.customers.length === 10000")
    screen.page.wait_for_selector("#table .row")
    screen.page.wait_for_selector("#table[aria-rowcount='10001']")
    assert screen.page.locator("#table .row").count() < 100
