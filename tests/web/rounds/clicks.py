"""A director who only follows links and presses buttons, each of them counted."""

from html.parser import HTMLParser
from urllib.parse import urljoin

FILLED = ("hidden", "text", "number", "radio", "checkbox")


class _Page(HTMLParser):
    """The links of a page, and its forms with what they send."""

    def __init__(self, text):
        super().__init__()
        self.links, self.forms = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "form":
            self.forms.append({"action": given.get("action") or "", "sends": {}, "buttons": []})
        if not self.forms:
            return
        form = self.forms[-1]
        if tag == "input" and given.get("name") and _is_sent(given):
            form["sends"][given["name"]] = given.get("value") or ""
        if tag == "button":
            form["buttons"].append((given.get("name"), given.get("value") or ""))


def _is_sent(given):
    kind = given.get("type", "text")
    return kind in FILLED and (kind not in ("radio", "checkbox") or "checked" in given)


class Clicks:
    """Pages one after another from `start`; `count` is the number of clicks."""

    def __init__(self, browser, start):
        self.browser, self.count = browser, 0
        self._open(start)

    def _open(self, at):
        self.at, self.page = at, self.browser.get(at, follow=True)
        assert self.page.status_code == 200, at
        if self.page.redirect_chain:
            self.at = self.page.redirect_chain[-1][0]

    def follow(self, ends):
        """Click on the first link to an address that ends so."""
        found = (each for each in _Page(self.page.text).links if each.endswith(ends))
        self.count += 1
        self._open(urljoin(self.at, next(found)))

    def press(self, action="", button=(None, ""), **typed):
        """Press a button of the first form that is sent to an address that ends so."""
        forms = _Page(self.page.text).forms
        form = next(f for f in forms if f["action"].endswith(action) and button in f["buttons"])
        sends = form["sends"] | ({button[0]: button[1]} if button[0] else {}) | typed
        self.count += 1
        self.page = self.browser.post(urljoin(self.at, form["action"]), sends, follow=True)
        assert self.page.status_code == 200, self.page.status_code
        if self.page.redirect_chain:
            self.at = self.page.redirect_chain[-1][0]
