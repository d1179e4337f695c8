"""TCP ports of this machine: free ports, open ports, and their local origin."""

import errno
import socket
from contextlib import suppress
from random import SystemRandom

from orchestration.cli.output import CommandFailed

LOOPBACK = "127.0.0.1"
_PORTS = range(20_000, 32_000)
"""Below the ports that systems give to connections: none takes a free one before its use."""
REACHED_AT = {"0.0.0.0": LOOPBACK, "::": "::1"}  # noqa: S104  these are addresses to connect to
"""The address to connect to if a server listens on all addresses."""


def free_port() -> int:
    while True:
        port = SystemRandom().choice(_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind((LOOPBACK, port))
            return port


def preferred_port(port: int) -> int:
    """Return the port, or a free one if it cannot be used."""
    return free_port() if why_not(LOOPBACK, port) else port


def answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def why_not(host: str, port: int) -> OSError | None:
    """Bind the port as a server would, and release it at once. Returns the error, if any."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        return error
    return None


def require_free(host: str, port: int, option: str = "--port") -> None:
    """Raise CommandFailed unless a server can listen here; `option` chooses another port."""
    if error := why_not(host, port):
        is_used = error.errno == errno.EADDRINUSE
        reason = f"port {port} is in use" if is_used else f"no server can use {host}:{port}"
        raise CommandFailed(f"{reason} ({error.strerror}).", f"Choose another one with {option}.")


def origin_of(host: str, port: int) -> str:
    """Return the origin at which this machine reaches a server that listens on `host:port`."""
    reached = REACHED_AT.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"
