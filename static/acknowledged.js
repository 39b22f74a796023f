// Entries that the server has acknowledged stay on this phone for half an hour: a machine that takes over
// from one that died may lack the last of them. They go back to the outbox, and are sent with their keys.

const PLACE = "kingscore.acknowledged.";
const KEPT = 1_800_000;

// Each machine that takes over has a higher number.
const machineOf = (headers) => Number(headers.get("Kingscore-Site"));

function read(game) {
  try {
    return JSON.parse(localStorage.getItem(PLACE + game)).filter(({ at }) => Date.now() - at < KEPT);
  } catch {
    return [];
  }
}

function save(game, items) {
  try {
    if (items.length) localStorage.setItem(PLACE + game, JSON.stringify(items));
    else localStorage.removeItem(PLACE + game);
  } catch { /* no room: as if it had been sent long ago */ }
}

const games = () => Object.keys(localStorage).filter((name) => name.startsWith(PLACE)).map((name) => name.slice(PLACE.length));

function keep(game, { key, url, fields, revision, label, effect }, machine) {
  const others = read(game).filter((other) => other.key !== key);
  save(game, [...others, { key, url, fields, revision, label, effect, machine, at: Date.now() }]);
}

// Take the entries of a game that an earlier machine has acknowledged.
function recall(game, machine) {
  const items = read(game);
  const isLost = (item) => item.machine < machine;
  save(game, items.filter((item) => !isLost(item)));
  return items.filter(isLost).map((item) => ({ ...item, waited: true, again: true }));
}

export { games, keep, machineOf, recall };
