"""The form of house rules, as a browser reads it."""

import re

RIFKI = "contracts.4.values.heart_king"


def form_of(page):
    """Return the fields of the form on a page as a browser sends them, without its buttons."""
    html = page.content.decode()
    html = html[html.index('<form id="house"') : html.index("</form>")]
    fields = {}
    for tag in re.findall(r"<input[^>]*>", html):
        name = re.search(r'name="([^"]*)"', tag)
        if name and ("checkbox" not in tag or " checked" in tag):
            fields[name[1]] = unescape(re.search(r'value="([^"]*)"', tag)[1])
    for name, options in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', html):
        values = re.findall(r'value="([^"]*)"( selected)?', options)
        fields[name] = next((value for value, chosen in values if chosen), values[0][0])
    return fields


def unescape(text):
    return text.replace("&quot;", '"').replace("&#x27;", "'").replace("&amp;", "&")


def text_of(page):
    return " ".join(re.sub(r"<[^>]*>", " ", page.content.decode()).split())
