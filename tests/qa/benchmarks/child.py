"""Runs a function in a fresh process and measures it.

A fresh process has no warm caches, and its peak memory is its own. The function measures its own
time, since it knows what is preparation.
"""

import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time

from orchestration.cli.output import say

KIB = 1024


@dataclass
class Watch:
    """Wall clock seconds and processor seconds of this process in the timed blocks."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        wall, cpu = perf_counter(), process_time()
        yield
        self.seconds += perf_counter() - wall
        self.cpu_seconds += process_time() - cpu


@dataclass(frozen=True)
class Measured:
    """The time of a function in its own process; peak memory is its resident size."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int


def measured(function: Callable[..., None], *arguments: object) -> Measured:
    """Run a module's function in a fresh process; it times itself with the given Watch."""
    say(f"  {function.__name__}")
    command = [sys.executable, "-m", "tests.qa.benchmarks.child"]
    call = pickle.dumps((function, arguments))
    done = subprocess.run(command, input=call, stdout=subprocess.PIPE, check=True)
    return Measured(**json.loads(done.stdout))


def main() -> None:
    function, arguments = pickle.load(sys.stdin.buffer)
    watch = Watch()
    with redirect_stdout(sys.stderr):  # for logs
        function(watch, *arguments)
    took = Measured(watch.seconds, watch.cpu_seconds, peak_bytes())
    sys.stdout.write(json.dumps(asdict(took)))


def peak_bytes(process: int | str = "self") -> int:
    """Return a process's peak resident size. ru_maxrss would include the parent's at the fork."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * KIB


if __name__ == "__main__":
    main()
