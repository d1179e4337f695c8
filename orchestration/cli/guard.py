"""The guard of `tracker up`: ends its children if it dies without ending them itself.

A separate process reads a pipe. The kernel closes the writing end however `tracker up` dies; the
guard then ends all registered process groups. It uses the standard library only, because it must
always work.
"""

import os
import signal
import sys
import time
from collections.abc import Iterable

GRACE_SECONDS = 10.0
DISMISSED = "dismissed"


def guard(lines: Iterable[str]) -> None:
    """Read process group ids, one per line, and end them at the end of input unless dismissed.

    A negative id unregisters a group that is gone: the system may reuse its number.
    """
    groups: list[int] = []
    for line in lines:
        if line.strip() == DISMISSED:
            return
        group = int(line)
        if group < 0:
            groups.remove(-group)
        else:
            groups.append(group)
    end_groups(groups, grace_seconds=GRACE_SECONDS)


def end_groups(groups: Iterable[int], *, grace_seconds: float) -> None:
    """Send SIGTERM to process groups, and SIGKILL after the grace period."""
    left = [group for group in groups if signal_group(group, signal.SIGTERM)]
    deadline = time.monotonic() + grace_seconds
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        left = [group for group in left if signal_group(group, 0)]
    for group in left:
        signal_group(group, signal.SIGKILL)


def signal_group(group: int, number: int) -> bool:
    """Send a signal; return whether the group still has processes."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # macOS: no permission for a group of zombies
        return False
    return True


if __name__ == "__main__":
    guard(sys.stdin)
