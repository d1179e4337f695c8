"""Servers in processes of their own: started, awaited, ended."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from orchestration.cli.output import say
from orchestration.cli.ports import free_port

PATIENCE_SECONDS = 300.0
END_OF_LOG = 2_000


@contextmanager
def serving(
    arguments: Sequence[str], *, path: str, log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Run a Python module that serves, with a free port; yield its base URL.

    It is ready once `path` answers with success. Its output goes to `log`.
    """
    say(f"  serving: {arguments[0]}")
    port = free_port()
    command = [sys.executable, "-m", *arguments, "--port", str(port)]
    with (
        log.open("ab") as output,
        subprocess.Popen(
            command, env=os.environ | (environment or {}), stdout=output, stderr=output
        ) as process,
    ):
        try:
            base_url = f"http://127.0.0.1:{port}"
            _wait(process, base_url + path, log)
            yield base_url
        finally:
            process.terminate()


def processor_seconds(base_url: str) -> float:
    """Return the processor seconds of the API at a URL; 0 for several processes."""
    return _told(base_url, "process_cpu_seconds_total") or 0.0


def _told(base_url: str, name: str) -> float | None:
    metrics = httpx.get(f"{base_url}/metrics").text
    match = re.search(rf"^{name} (\S+)$", metrics, re.MULTILINE)
    return float(match[1]) if match else None


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < give_up_at:
        try:
            if httpx.get(url).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    end = log.read_text(encoding="utf-8", errors="replace")[-END_OF_LOG:]
    raise TimeoutError(f"nothing answers at {url}; its log ends with:\n{end}")
