"""Posts each result of a club to a chat, as it comes in (Slack, Mattermost, Google Chat)."""

import json, os, time
from urllib.request import Request, urlopen

API = os.environ["SITE"] + "/api/v1"


def ask(url, body=None, **headers):
    data = json.dumps(body).encode() if body else None
    with urlopen(Request(url, data, {"Content-Type": "application/json", **headers})) as answer:
        return answer.read()


# Without a token it tells what is published.
signed = {"Authorization": f"Bearer {os.environ['TOKEN']}"} if "TOKEN" in os.environ else {}
after, posted, is_old = 0, set(), True
while True:
    feed = json.loads(ask(f"{API}/changes/?club={os.environ['CLUB']}&after={after}", **signed))
    for kind, _, game in (change["subject"].partition(":") for change in feed["results"]):
        if kind == "game" and game not in posted and not is_old:
            sheet = json.loads(ask(f"{API}/games/{game}/?fields=players,result", **signed))
            if sheet["result"]["finished"]:
                totals = sheet["result"]["totals"] * 2  # Partners have one.
                lines = [f"{who}: {points}" for who, points in zip(sheet["players"], totals)]
                ask(os.environ["CHAT"], {"text": "\n".join(lines)})
                posted.add(game)
    after, is_old = feed["last"], is_old and feed["more"]
    time.sleep(0 if feed["more"] else 5)
