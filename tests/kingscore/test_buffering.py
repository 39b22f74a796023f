import asyncio
import errno
import io
from concurrent.futures import ThreadPoolExecutor

import pytest

from kingscore import streams
from kingscore.streams import Buffered
from tests.waiting import PATIENCE


@pytest.fixture
def visit():
    """Send a request to a page, in parts; the messages of the answer, and how much was read."""

    def send(page, parts=(b"",), headers=(), query=b""):
        application, sent, waiting = Buffered(page, threads=1), [], list(parts)
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "path": "/",
            "query_string": query,
            "headers": list(headers),
        }

        async def receive():
            part = waiting.pop(0)
            if part is None:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": part, "more_body": bool(waiting)}

        async def take(message):
            sent.append(message)

        # In a thread: a browser of another test may have left its loop running in this one.
        with ThreadPoolExecutor(1) as thread:
            answered = asyncio.wait_for(application(scope, receive, take), PATIENCE)
            thread.submit(asyncio.run, answered).result()
        return sent, len(parts) - len(waiting)

    return send


class Page:
    def __init__(self, answer=(b"answer",)):
        self.answer, self.environ = answer, None

    def __call__(self, environ, start_response):
        length = int(environ.get("CONTENT_LENGTH") or 0)
        self.environ, self.body = environ, environ["wsgi.input"].read(length) if length else b""
        start_response("200 OK", [("Content-Type", "text/plain")])
        return self.answer


CHUNKED = (b"transfer-encoding", b"chunked")


def test_body_of_no_announced_length_is_whole_and_headers_and_query_arrive_as_they_are(visit):
    page = Page()
    pretended = [(b"x-forwarded-for", b"1.1.1.1"), (b"x_forwarded_for", b"9.9.9.9")]

    visit(page, [b"first ", b"second"], [CHUNKED, *pretended], "name=Ay%C5%9Fe&q=ş".encode())

    assert (page.body, page.environ["CONTENT_LENGTH"]) == (b"first second", "12")
    assert "HTTP_TRANSFER_ENCODING" not in page.environ
    # One with an underscore is not taken for that of the proxy.
    assert page.environ["HTTP_X_FORWARDED_FOR"] == "1.1.1.1"
    assert page.environ["QUERY_STRING"] == "name=Ay%C5%9Fe&q=%C5%9F"


@pytest.mark.parametrize("length", [10, 200_000])
def test_body_is_read_before_the_page_begins(visit, length):
    page = Page()
    parts = [b"x" * (length // 10)] * 10

    visit(page, parts, [(b"content-length", str(length).encode())])

    assert page.body == b"x" * length


def test_visitor_who_goes_before_the_end_has_no_page_begun(visit):
    page = Page()

    sent, _ = visit(page, [b"half", None], [(b"content-length", b"8")])

    assert (sent, page.environ) == ([], None)


def test_of_a_body_that_is_too_large_no_more_is_read_than_it_takes_to_know(visit, settings):
    settings.LARGEST_BODY = 100
    announced, chunked = Page(), Page()

    _, read_announced = visit(announced, [b"x"] * 200, [(b"content-length", b"200")])
    _, read_chunked = visit(chunked, [b"x"] * 200, [CHUNKED])

    assert (read_announced, announced.environ["CONTENT_LENGTH"]) == (0, "200")
    assert (read_chunked, chunked.environ["CONTENT_LENGTH"]) == (101, "101")


@pytest.mark.parametrize("large", [1, 1000, 3 * streams.ANSWER_IN_MEMORY])
def test_answer_is_handed_over_whole(visit, large):
    sent, _ = visit(Page([b"x" * large, b"", b"end"]))

    assert sent[0]["headers"] == [(b"content-type", b"text/plain")]
    assert b"".join(message["body"] for message in sent[1:]) == b"x" * large + b"end"
    assert not sent[-1].get("more_body")


def test_file_is_read_in_few_blocks_and_closed(visit):
    file = io.BytesIO(b"x" * 100_000)

    def page(environ, start_response):
        start_response("200 OK", [])
        return environ["wsgi.file_wrapper"](file, 4096)

    sent, _ = visit(page)

    assert sum(len(message.get("body", b"")) for message in sent) == 100_000
    assert file.closed


def test_answer_for_which_there_is_no_room_frees_its_thread(visit, monkeypatch):
    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(streams, "SpooledTemporaryFile", lambda **_: Full())

    # More parts than a2wsgi holds ready.
    with pytest.raises(OSError, match="no room"):
        visit(Page([b"x"] * 50))
