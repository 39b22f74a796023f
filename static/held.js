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

// Keep these alone: a game may be deleted, or its scoring handed over.
function replace(games) {
  if (JSON.stringify(games) === JSON.stringify(held())) return;
  try {
    localStorage.setItem(PLACE, JSON.stringify(games));
  } catch { /* the cookie of the phone has the latest forty */ }
}

// Add games, the latest first: by public id, each with its addresses; the oldest are forgotten first.
function hold(games) {
  const before = held();
  const added = Object.entries(games).reverse().map(([game, addresses]) => [game, { ...before[game], ...addresses }]);
  const news = Object.fromEntries(added);
  const others = Object.entries(before).filter(([game]) => !(game in news));
  replace(Object.fromEntries([...others, ...added].slice(-MOST)));
}

const addresses = () => Object.values(held()).flatMap((each) => Object.values(each));

export { held, hold, replace, addresses };
