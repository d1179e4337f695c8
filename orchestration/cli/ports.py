"""TCP ports of this machine: free ports, open ports, and their local origin."""

import socket

LOOPBACK = "127.0.0.1"
REACHED_AT = {"0.0.0.0": LOOPBACK, "::": "::1"}  # noqa: S104  these are addresses to connect to
"""The address to connect to if a server listens on all addresses."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
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
