"""Whether the API can listen where it is to, or does so already."""

import errno
import socket
from collections.abc import Iterator

import httpx
import psutil  # type: ignore[import-untyped]  # it has no types

from orchestration.cli.doctor.finding import Finding, Installation, bad, ok, warn
from orchestration.cli.ports import origin_of

PATIENCE_SECONDS = 2.0
STATUS = "status"


def check_port(installation: Installation) -> Iterator[Finding]:
    """Find who has the API's port: nobody, the API, or somebody else."""
    host, port = installation.host, installation.port
    error = _why_not(host, port)
    if error is None:
        yield ok("port", f"{port} is free for the API")
    elif error.errno == errno.EADDRINUSE:
        yield _taken(host, port)
    else:
        way_out = "Choose others: --host, --port."
        yield bad("port", f"nobody can listen on {host}:{port} ({error.strerror})", way_out)


def _why_not(host: str, port: int) -> OSError | None:
    """Try to take the port, as the API would, and let go of it at once."""
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


def _taken(host: str, port: int) -> Finding:
    owner = _owner(port)
    ready = _readiness(origin_of(host, port))
    if ready is None:
        return bad(
            "port",
            f"{port} is taken by {owner}",
            "End that, or choose another with --port.",
        )
    if not ready:
        return ok("port", f"the API answers on {port} ({owner})")
    wrong = ", ".join(f"{part} {state}" for part, state in sorted(ready.items()) if part != STATUS)
    return warn("port", f"the API on {port} ({owner}) is not ready: {wrong}", "See these parts.")


def _owner(port: int) -> str:
    """Return who listens on the port, as far as this user may know."""
    try:
        listening = [
            connection.pid
            for connection in psutil.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port
        ]
        known = [f"process {pid} ({psutil.Process(pid).name()})" for pid in listening if pid]
    except psutil.Error:
        known = []
    return ", ".join(known) or "a process of somebody else"


def _readiness(origin: str) -> dict[str, str] | None:
    """Return which parts of our API are not ready, None where it is not our API that answers."""
    try:
        with httpx.Client(trust_env=False, verify=False, timeout=PATIENCE_SECONDS) as client:  # noqa: S501  plain HTTP to this machine
            if client.get(f"{origin}/healthz").json() != {STATUS: "ok"}:
                return None
            parts = client.get(f"{origin}/readyz").json()
    except (httpx.HTTPError, ValueError):
        return None
    return {part: state for part, state in parts.items() if state not in {"ok", "ready"}}
