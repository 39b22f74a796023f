"""A process of the web server under gunicorn, which runs several."""

import asyncio
import os
import signal
from typing import Any, ClassVar

from uvicorn_worker import UvicornWorker

from kingscore.web_worker import OPTIONS, begin


class GunicornWorker(UvicornWorker):  # type: ignore[misc]
    """A process of the web server, under gunicorn."""

    # Gunicorn's own sign of life looks at a clock that may be set; see `show_life`.
    CONFIG_KWARGS: ClassVar[dict[str, Any]] = {**OPTIONS, "callback_notify": None}

    def init_process(self) -> None:
        begin(group=self.ppid)
        super().init_process()

    async def _serve(self) -> None:
        life = asyncio.create_task(self.show_life())
        await super()._serve()
        life.cancel()

    async def show_life(self) -> None:
        """Tell gunicorn that this process is alive, and exit when gunicorn was killed."""
        while True:
            self.notify()
            if os.getppid() != self.ppid:
                os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(1)
