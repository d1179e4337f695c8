"""TCP ports of this machine: free ports, open ports, and their local origin."""

import socket
from contextlib import suppress
from random import SystemRandom

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


def answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def origin_of(host: str, port: int) -> str:
    """Return the origin at which this machine reaches a server that listens on `host:port`."""
    reached = REACHED_AT.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"
