"""TCP ports of this machine: which is free, which answers."""

import socket

LOOPBACK = "127.0.0.1"


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
