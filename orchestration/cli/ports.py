"""TCP ports of this machine: which is free, which answers, by which address it is asked."""

import socket

LOOPBACK = "127.0.0.1"
REACHED_AT = {"0.0.0.0": LOOPBACK, "::": "::1"}  # noqa: S104  nobody listens there: we ask
"""Where somebody answers who listens everywhere."""


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def answers(host: str, port: int) -> bool:
    """Tell whether somebody listens there."""
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def origin_of(host: str, port: int) -> str:
    """Return the origin by which this machine reaches who listens at `host:port`."""
    reached = REACHED_AT.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"
