// Clocks that count on from the seconds the server said were left: no phone's own time is trusted.

const shown = new WeakMap();

function text(seconds) {
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const whole = hours ? `${hours}:${two(minutes)}` : String(minutes);
  return `${whole}:${two(seconds % 60)}`;
}

// After an hour what the server said stays.
function over(clock, seconds) {
  const minutes = Math.floor(seconds / 60);
  if (!minutes) return clock.dataset.up;
  return minutes < 60 ? clock.dataset.ago.replace("#", minutes) : clock.textContent;
}

function tick() {
  for (const clock of document.querySelectorAll(".clock")) {
    // A clock that came with a fragment begins where the server left it.
    if (!shown.has(clock)) shown.set(clock, performance.now());
    const gone = "running" in clock.dataset ? performance.now() - shown.get(clock) : 0;
    const left = Number(clock.dataset.left) - Math.floor(gone / 1000);
    clock.textContent = left < 0 ? over(clock, -left) : text(left);
    clock.classList.toggle("over", left < 0);
  }
}

document.addEventListener("htmx:afterSwap", tick);
setInterval(tick, 250);
tick();
