"""Writes the standings of a tournament to standings.csv, for any spreadsheet; run it again."""

import csv, json, os
from urllib.request import urlopen

PLACE = "{SITE}/api/v1/clubs/{CLUB}/tournaments/{TOURNAMENT}/standings/?page_size=100"

rows, url = [], PLACE.format_map(os.environ)
while url:
    with urlopen(url) as answer:
        page = json.load(answer)
    rows += page["results"]
    url = page["next"]

# Spreadsheets know by the mark at its beginning that the file is UTF-8.
with open("standings.csv", "w", newline="", encoding="utf-8-sig") as file:
    sheet = csv.writer(file)
    sheet.writerow(["Rank", "Name", "Points", *(f"Round {n}" for n in page["rounds"])])
    for row in rows:
        sheet.writerow([row["rank"], row["name"], row["points"], *row["by_round"]])
