"""An open page that hears of changes by a stream, reduced to its connection."""


class Listener:
    def __init__(self, line, path, **headers):
        self.line = line
        line.request("GET", f"{path}events", headers=headers)
        self.answer = line.getresponse()

    def next(self):
        """The next event, with its data in `data`; None at the end of the stream."""
        while line := self.answer.readline():
            name, _, event = line.decode().strip().partition(": ")
            if name == "event":
                self.data = self.answer.readline().decode().strip().removeprefix("data: ")
                return event
        return None

    def close(self):
        self.answer.close()
        self.line.close()
