// The screen stays on while a game is written, and saving is felt; both can be switched off on this phone,
// as can the line of who leads, by the style sheet.

const NAMES = ["awake", "vibrates", "chances"];
const place = (name) => `kingscore.${name}`;
const switchOf = (name) => document.getElementById(name);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const POSSIBLE = { awake: "wakeLock" in navigator, vibrates: "vibrate" in navigator, chances: true };
const PATTERNS = { saved: [25], refused: [60, 60, 60] };
let lock = null;

const isOn = (name) => POSSIBLE[name] && Boolean(switchOf(name)?.checked);

async function hold() {
  const isWritten = Boolean(document.querySelector("#table form.entry"));
  if (!isOn("awake") || !isWritten) {
    lock?.release();
    lock = null;
  } else if (!document.hidden && (!lock || lock.released)) {
    try {
      lock = await navigator.wakeLock.request("screen");
    } catch { /* a phone that saves its battery refuses */ }
  }
}

function feel(what) {
  if (isOn("vibrates") && !calm.matches) navigator.vibrate(PATTERNS[what]);
}

for (const name of NAMES) {
  const found = switchOf(name);
  if (!found) continue;
  const isOff = () => { try { return localStorage.getItem(place(name)) === "off"; } catch { return false; } };
  found.checked = !isOff();
  found.closest("label").hidden = !POSSIBLE[name];
  if (POSSIBLE[name]) found.closest("section").hidden = false;
  found.addEventListener("change", () => {
    try { localStorage.setItem(place(name), found.checked ? "on" : "off"); } catch { /* for this page only */ }
    hold();
  });
}

document.addEventListener("visibilitychange", hold);
hold();

export { feel, hold };
