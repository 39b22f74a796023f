// The addresses of games that this phone holds. One to write is only kept where it was opened or carried to.

const PLACE = "kingscore.tables";
const MOST = 150;

function held() {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) || {};
  } catch {
    return {};
  }
}

// Add games: by public id, each with its addresses; the oldest are forgotten first.
function hold(games) {
  const before = held();
  const added = Object.entries(games).map(([game, addresses]) => [game, { ...before[game], ...addresses }]);
  const news = Object.fromEntries(added);
  const others = Object.entries(before).filter(([game]) => !(game in news));
  const all = Object.fromEntries([...others, ...added].slice(-MOST));
  if (JSON.stringify(all) === JSON.stringify(before)) return;
  try {
    localStorage.setItem(PLACE, JSON.stringify(all));
  } catch { /* the cookie of the phone has the latest forty */ }
}

const addresses = () => Object.values(held()).flatMap((each) => Object.values(each));

export { held, hold, addresses };
