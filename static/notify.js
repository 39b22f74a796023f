// Switches notifications on: asks the browser, subscribes at its push service and sends what came.
// The answer is the page with the new state; switching off needs no script.

const root = document.documentElement;
// An iPad says that it is a Mac.
const isApple = /iPhone|iPad|iPod/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (each) => each.charCodeAt(0));

function state() {
  if (!window.isSecureContext || !navigator.serviceWorker) return "none";
  // On iOS there are none but from the home screen.
  if (!window.PushManager || !window.Notification) return isApple ? "install" : "none";
  return Notification.permission === "denied" ? "denied" : "can";
}
root.dataset.push = state();

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-push-key]") || form.elements.endpoint.value) return;
  event.preventDefault();
  try {
    if (await Notification.requestPermission() !== "granted") {
      root.dataset.push = state();
      return;
    }
    const { endpoint, keys } = (await subscribe(form.dataset)).toJSON();
    // The page may have been updated meanwhile.
    const shown = form.isConnected ? form : document.querySelector("[data-push-key]");
    Object.entries({ endpoint, ...keys }).forEach(([name, value]) => { shown.elements[name].value = value; });
    shown.submit();
  } catch {
    root.dataset.push = "failed";
  }
});

async function subscribe({ pushKey, worker }) {
  await navigator.serviceWorker.register(worker);
  const { pushManager } = await navigator.serviceWorker.ready;
  const wanted = { userVisibleOnly: true, applicationServerKey: bytes(pushKey) };
  try {
    return await pushManager.subscribe(wanted);
  } catch (error) {
    // Subscribed for an earlier key of the server.
    const before = await pushManager.getSubscription();
    if (!before) throw error;
    await before.unsubscribe();
    return pushManager.subscribe(wanted);
  }
}
