"""Signs of life for supervisors, which replace a process without them."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from socket import AF_UNIX, MSG_DONTWAIT, SOCK_DGRAM, socket
from tempfile import gettempdir

EVERY_SECONDS = 15.0


def show_life(name: str) -> None:
    """Answer systemd's watchdog (`sd_notify(3)`), and touch the file of Kubernetes' probe."""
    with suppress(OSError):  # a full disk, or systemd restarts
        if "KUBERNETES_SERVICE_HOST" in os.environ:
            Path(gettempdir(), f"{name}.alive").touch()
        if address := os.environ.get("NOTIFY_SOCKET"):
            with socket(AF_UNIX, SOCK_DGRAM) as systemd:
                systemd.sendto(b"WATCHDOG=1", MSG_DONTWAIT, address.replace("@", "\0", 1))


async def show_life_repeatedly(name: str, show: Callable[[], object]) -> None:
    """Show life while the event loop runs; `show` does so in PostgreSQL."""
    while True:
        show_life(name)
        with suppress(Exception):  # of any library between here and PostgreSQL, which may be away
            await asyncio.to_thread(show)
        await asyncio.sleep(EVERY_SECONDS)
