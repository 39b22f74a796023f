"""Thirty texts that break out of places in which they are shown."""

from tournaments.engine.rules.entries import clean_line

STORED = [
    "A\x01\x0b\x1b[31mkul",
    "Turnuva\r\nBcc: x@evil.example",
    "iki\nsatır\tve sekme",
    "\u202eters\u202c metin",
    "sıfır\u200b\u200d\u2060genişlik",
    "\ufeffişaret",
    "satır\u2028ayracı\u2029burada",
    "sonraki\x85satır",
    "\u2066yalıtık\u2069 \u00adtire",
    "boş\u3164\u2800harf",
    "sınır\ufffe\uffff",
    "=1+1",
    "@SUM(A1)",
    "+cmd|' /C calc'!A0",
    "1/0",
    "1/2",
    "#panic()",
    "`raw` ``` $x^2$ \\u{41}",
    "]]> </script><script>alert(1)</script>",
    "&amp; & &#x1; &nbsp;",
    "\"tırnak\" 'tek' “eğri”",
    "e\u0301 NFD I\u0307stanbul",
    "\u0301yalnız",
    "z" + "\u0335" * 79,
    "\ufdfa" * 8,
    "مرحبا بالعالم",
    "שלום עולם",
    "aile 👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 🇹🇷",
]
SOME = STORED[::4]
"""For what cleans all of them alike."""

REFUSED = ["a\x00b", "a\ud800b"]
"""What no database can store."""

TEXTS = STORED + REFUSED
CLEAN = [clean_line(text) for text in STORED]
