// The picture of a result: to the phone's own list of apps, or as a file where it takes none.

const TRIES = 10;
const drawn = new Map();

const sleep = (seconds) => new Promise((resolve) => { setTimeout(resolve, seconds * 1000); });

// The server draws it when it is asked for, and says when to ask again.
async function draw(address, name) {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const answer = await fetch(address);
    if (answer.ok) return new File([await answer.blob()], name, { type: "image/png" });
    if (answer.status !== 503) break;
    await sleep(Number(answer.headers.get("Retry-After")) || 2);
  }
  throw new Error("no picture");
}

function save(file) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Two taps share it once.
let busy = null;
const share = (link) => { busy ??= shareNow(link).finally(() => { busy = null; }); return busy; };

async function shareNow(link) {
  const label = link.querySelector("[role=status]");
  const say = (text) => { label.textContent = text; };
  link.dataset.label ??= label.textContent;
  say(link.dataset.drawing);
  try {
    if (!drawn.has(link.href)) drawn.set(link.href, await draw(link.href, link.download));
  } catch {
    say(link.dataset.failed);
    return;
  }
  say(link.dataset.label);
  const content = { files: [drawn.get(link.href)], title: link.dataset.title };
  if (!navigator.canShare?.(content)) {
    save(content.files[0]);
    return;
  }
  try {
    await navigator.share(content);
  } catch (error) {
    // Closing the list of apps is no error. A tap that is too long ago counts no more: tap again.
    if (error.name === "NotAllowedError") say(link.dataset.again);
  }
}

export { share };
