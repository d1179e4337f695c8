"""A connection's transport: joins writes, and drops clients that take nothing of a response."""

import asyncio
from typing import Any

STALLED_SECONDS = 60
"""How long a client may take nothing of what waits for it.

Such a client holds the rest of its response in memory, and of a stream also its organization's
slot. A client that reads slowly is served.
"""


class JoinedWrites:
    """A transport that joins writes of one event loop turn into one system call.

    uvicorn 0.54 writes head and body separately, and uvloop 0.23 sends each at once, which wakes
    the client twice and takes a third of the processor time of a small response.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._pieces: list[bytes] = []
        self._check: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Queue data for the end of the turn."""
        if not self._pieces:
            self._loop.call_soon(self.send)
        self._pieces.append(data)

    def write_eof(self) -> None:
        self.send()
        self._transport.write_eof()

    def close(self) -> None:
        self.send()
        self._transport.close()

    def send(self) -> None:
        pieces, self._pieces = self._pieces, []
        if pieces and not self._transport.is_closing():
            self._transport.writelines(pieces)

    def watch(self) -> None:
        """Drop the connection once the client takes nothing for STALLED_SECONDS.

        Nothing is written meanwhile: see uvicorn's flow control.
        """
        self.stop_watching()
        waiting = self._transport.get_write_buffer_size()
        self._check = self._loop.call_later(STALLED_SECONDS, self._drop_stalled, waiting)

    def stop_watching(self) -> None:
        if self._check is not None:
            self._check.cancel()
            self._check = None

    def _drop_stalled(self, waiting: int) -> None:
        if self._transport.get_write_buffer_size() < waiting:
            self.watch()
        else:
            self._transport.abort()
