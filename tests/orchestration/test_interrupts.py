"""A stop signal lets all asyncio tasks clean up."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestration.running.interrupts import run_until_signal
from tests.orchestration.commands import environment

IN_THE_BACKGROUND = """
import signal, sys
from orchestration.running.pipeline import run_pipeline
from warehouse.settings import Settings
signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
run_pipeline(Settings(), scrape=False)
print("ready", flush=True)
signal.pause()
"""


def test_a_signal_within_a_step_lets_every_task_clean_up() -> None:
    """A handler that raises there would leave the loop and the other task without cleanup."""
    cleaned: list[str] = []

    async def work(name: str) -> None:
        try:
            if name == "signalled":
                signal.raise_signal(signal.SIGTERM)
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(name)

    async def both() -> None:
        await asyncio.gather(work("other"), work("signalled"))

    with pytest.raises(SystemExit) as ended:
        run_until_signal(both())
    assert (ended.value.code, sorted(cleaned)) == (128 + signal.SIGTERM, ["other", "signalled"])


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_sigterm_ends_a_process_with_sigint_ignored_after_a_run(
    tmp_path: Path, database_url: str
) -> None:
    """Shells start background processes so, and Dagster copies SIGINT's handler to SIGTERM."""
    with subprocess.Popen(
        ["sh", "-c", 'trap "" INT; exec "$0" -c "$1"', sys.executable, IN_THE_BACKGROUND],
        env=environment(tmp_path, database_url),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert any(line.endswith("ready\n") for line in process.stdout)
        process.terminate()
        try:
            assert process.wait(timeout=60) == 128 + signal.SIGTERM
        finally:
            process.kill()
