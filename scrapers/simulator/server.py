"""The simulator over real HTTP: in a thread for tests, or in the foreground."""

import asyncio
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from scrapers.simulator.app import ABORT, simulator_app
from scrapers.simulator.clock import SettableClock
from scrapers.simulator.faults import Faults
from scrapers.simulator.pictures import served_at
from scrapers.simulator.world import World

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
_SECONDS_TO_FINISH = 1


@dataclass(frozen=True, slots=True)
class RunningSimulator:
    """A running simulator. URLs have no final slash."""

    base_url: str
    world: World
    clock: SettableClock

    @property
    def tiktok_url(self) -> str:
        """Replaces https://www.tiktok.com."""
        return f"{self.base_url}/tiktok"

    @property
    def instagram_url(self) -> str:
        """Replaces https://www.instagram.com."""
        return f"{self.base_url}/instagram"

    @property
    def tiktok_login_url(self) -> str:
        """Replaces https://www.tiktok.com and https://open.tiktokapis.com for logins."""
        return f"{self.base_url}/tiktok-login"

    @property
    def instagram_login_url(self) -> str:
        """Replaces Instagram's login, its tokens and https://graph.instagram.com."""
        return f"{self.base_url}/instagram-login"

    def set_now(self, instant: datetime | None) -> None:
        """Set the world's time; None returns to the system clock."""
        self.clock.set(instant)


@contextmanager
def running_simulator(
    world: World | None = None, *, port: int = 0, faults: Faults | None = None
) -> Iterator[RunningSimulator]:
    """Serve a world on 127.0.0.1 from a thread until the block ends; port 0 takes a free one.

    Raises OSError if the port is in use.
    """
    world, clock = world or World(), SettableClock()
    listener = socket.create_server(("127.0.0.1", port))
    server = _ThreadedServer(_config(simulator_app(world, clock, faults=faults)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    server.listening.wait()
    try:
        yield RunningSimulator(f"http://127.0.0.1:{listener.getsockname()[1]}", world, clock)
    finally:
        server.should_exit = True
        thread.join()


def serve(host: str, port: int, world: World, *, now: datetime | None = None) -> None:
    """Serve a world until interrupted, at a fixed time or the system clock."""
    clock = SettableClock()
    clock.set(now)
    app = simulator_app(world, clock)
    uvicorn.Server(_config(app, host=host, port=port, log_level="info")).run()


class _ThreadedServer(uvicorn.Server):
    """Signals when it listens, so that callers need not poll."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


class _AbortableProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's protocol that also lets the application reset the connection."""

    app: Any

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        app = self.app

        def abort() -> None:
            transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE
            )
            transport.abort()

        async def with_abort(scope: Any, receive: Any, send: Any) -> None:
            scope.setdefault("extensions", {})[ABORT] = abort
            await app(scope, receive, send)

        self.app = with_abort


def _naming_itself(app: Any) -> Any:
    """Return the application, with picture URLs at its own address."""

    async def named(scope: Any, receive: Any, send: Any) -> None:
        host, port = scope["server"]
        with served_at(f"http://{host}:{port}"):
            await app(scope, receive, send)

    return named


def _config(app: Any, **settings: Any) -> uvicorn.Config:
    return uvicorn.Config(
        _naming_itself(app),
        **{"log_level": "warning"} | settings,
        http=_AbortableProtocol,
        ws="none",
        lifespan="off",
        access_log=False,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
