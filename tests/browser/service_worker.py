"""The service worker of the site on a phone, and events that reach it from outside.

The headless Chromium shows no notifications, opens no windows for them and has no push service, so
that what the worker asks for is noted, and events that come from there are made by a script.
"""

NOTING = """() => {
  const note = async (...asked) => { self.asked.push(asked); };
  self.asked = [];
  self.registration.showNotification = note;
  self.clients.openWindow = (address) => note("open", address);
  WindowClient.prototype.focus = function () { return note("focus", new URL(this.url).pathname); };
}"""

SUBSCRIBING = """(given) => {
  PushManager.prototype.subscribe = async (wanted) => {
    self.asked.push(["subscribe", wanted.applicationServerKey, wanted.userVisibleOnly]);
    return { toJSON: () => given };
  };
}"""

FIRED = """async ([name, given]) => {
  const waits = [], close = () => self.asked.push(["close"]);
  const notification = { ...given.notification, close };
  const newSubscription = given.subscription && { toJSON: () => given.subscription };
  const event = new Event(name);
  Object.assign(event, { notification, newSubscription, waitUntil: (each) => waits.push(each) });
  self.dispatchEvent(event);
  await Promise.all(waits);
}"""


class ServiceWorker:
    """The worker of an open page, once it is active."""

    def __init__(self, phone):
        self.phone, self.page = phone, phone.page
        self.page.evaluate("() => navigator.serviceWorker.ready.then(() => {})")
        (self.worker,) = phone.context.service_workers
        self.worker.evaluate(NOTING)

    @property
    def asked(self):
        return self.worker.evaluate("self.asked")

    def find_signal(self):
        """Let the browser find a signal while no page is open, and wait until all is sent."""
        self.page.goto("about:blank")
        self.phone.cable.plug()
        self.worker.evaluate(FIRED, ["sync", {}])

    def deliver(self, data):
        """Bring a message as a push service does; return the title and options that are shown."""
        devtools, found = self.phone.context.new_cdp_session(self.page), []
        devtools.on(
            "ServiceWorker.workerRegistrationUpdated",
            lambda said: found.extend(said["registrations"]),
        )
        devtools.send("ServiceWorker.enable")
        while not found:
            self.page.wait_for_timeout(20)
        place = {"origin": self.phone.base, "registrationId": found[-1]["registrationId"]}
        devtools.send("ServiceWorker.deliverPushMessage", {**place, "data": data})
        while not (asked := self.asked):
            self.page.wait_for_timeout(20)
        devtools.detach()
        return asked[0]

    def tap(self, url):
        """Tap a notification; return what is asked for then."""
        self.worker.evaluate(FIRED, ["notificationclick", {"notification": {"data": url}}])
        return self.asked

    def change_subscription(self, offered, new=None):
        """End the subscription; `offered` comes if another is asked for, `new` came already."""
        self.worker.evaluate(SUBSCRIBING, offered)
        self.worker.evaluate(FIRED, ["pushsubscriptionchange", {"subscription": new}])
        return self.asked
