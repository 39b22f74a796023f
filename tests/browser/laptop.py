"""A director's laptop in Chromium, and the complaints of its browser."""

from django.urls import reverse

LAPTOP = {"viewport": {"width": 1280, "height": 800}, "has_touch": False, "is_mobile": False}


class Laptop:
    """A laptop, signed in by `phone`; addresses are those of the tournament `row`, once it is.

    Controls are known by where they lead: their labels are in the reader's language.
    """

    def __init__(self, phone):
        self.phone, self.page, self.row = phone, phone.page, None
        self.complaints = []
        # Time goes on as ever, and can be skipped: pages ask again every few seconds.
        phone.context.clock.install()
        phone.context.on("console", self.note)
        phone.context.on("weberror", self.note_error)

    def note_error(self, error):
        self.complaints.append(f"{error.error} {error.error.stack}")

    def note(self, message):
        if message.type == "error":
            self.complaints.append(message.text)

    def url(self, name, *more):
        return reverse(name, args=[self.row.event.club.slug, self.row.slug, *more])

    def open(self, name, *more):
        self.phone.open(self.url(name, *more))

    def skip(self, seconds):
        """Let so much time pass at once, on all pages of the laptop."""
        self.phone.context.clock.fast_forward(seconds * 1000)

    def form(self, name, *more):
        return self.page.locator(f"form[action='{self.url(name, *more)}']")

    def press(self, button):
        with self.page.expect_navigation():
            button.click()

    def send(self, name, *more, button="button"):
        self.press(self.form(name, *more).locator(button).first)

    def follow(self, name, *more, query=""):
        """Press the link to a page of the tournament."""
        link = self.page.locator(f"main a[href='{self.url(name, *more)}{query}']:visible")
        self.press(link.first)

    def take_next_step(self):
        """Press the button on top of the tournament's page."""
        self.open("tournament")
        self.press(self.page.locator("#next-step"))

    def finish_form(self):
        self.press(self.page.locator(".actions button").first)
