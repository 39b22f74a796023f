"""Pages that hear of changes from a real server, and poll where something on the way forbids it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.cable import Cable
from tests.browser.phone import Phone
from tests.deals import WHOLE_GAME
from tests.phones import Phone as Writer
from tests.phones import new_key
from tests.waiting import wait_until

pytestmark = pytest.mark.browser

NOTE_STREAMS = """window.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    this.addEventListener("hello", () => { this.isHeard = true; });
    window.lastStream = this;
  }
}"""
IS_OPEN = "Boolean(lastStream.isHeard && lastStream.readyState === EventSource.OPEN)"
EVENING = re.compile(r"(/evening/[^/]+/[^/]+/)")


@pytest.fixture
def screen(browser, server):
    screen = Phone(browser, Cable(f"http://{server.host}:{server.port}"))
    screen.context.clock.install()
    screen.context.add_init_script(NOTE_STREAMS)
    yield screen
    screen.context.close()
    screen.cable.close()
    assert screen.complaints == []


@pytest.fixture
def writer(server):
    writer = Writer(server.host, server.port)
    yield writer
    writer.hang_up()


@pytest.mark.parametrize("kind", ["follow", "write"])
def test_page_hears_of_deals_and_polls_while_streams_are_cut_held_back_or_refused(
    screen, writer, kind
):
    page, deals = screen.page, iter(WHOLE_GAME)
    writer.open_table()
    screen.open(writer.path if kind == "write" else follow_path(writer))
    page.evaluate("window.isSame = true")

    def wait_for_stream(wanted=True):
        wait_until(lambda: page.evaluate(IS_OPEN) is wanted)

    def write():
        revision = int(page.locator("#table").get_attribute("data-revision"))
        assert writer.write_deal(next(deals), revision, new_key()).status == 200
        expect(page.locator("#table")).to_have_attribute("data-revision", str(revision + 1))

    wait_for_stream()
    asked = []
    page.on("request", lambda request: asked.append("kingscore-news" in request.headers))
    write()
    # Nothing is asked but what was told.
    screen.context.clock.run_for(10_000)
    write()
    assert set(asked) == {True}

    for treatment in ("cut", "hold"):
        screen.cable.treat_streams(treatment)
        wait_for_stream(wanted=False)
        write()
        # It tries again twice, then waits for five minutes.
        for seconds in (41, 31, 41, 31, 41):
            screen.context.clock.fast_forward(1000 * seconds)
        write()
        screen.cable.treat_streams("pass")
        screen.context.clock.fast_forward(301_000)
        wait_for_stream()
        write()

    page.route("**/events", lambda route: route.fulfill(status=503))
    screen.cable.treat_streams("pass")
    wait_for_stream(wanted=False)
    write()
    page.unroute("**/events")
    screen.context.clock.fast_forward(301_000)
    wait_for_stream()
    write()
    assert page.evaluate("window.isSame")


def follow_path(writer):
    evening = EVENING.search(writer.ask("GET", f"{writer.path}pen/").text)[1]
    return writer.ask("GET", evening).location
