"""A signal to stop lets all that asyncio runs clean up."""

import asyncio
import signal

import pytest

from orchestration.running.interrupts import run_until_signal


def test_a_signal_within_a_step_lets_every_task_clean_up() -> None:
    """A handler that raises there would leave the loop, and the other task as it is."""
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
