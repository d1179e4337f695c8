"""What every asset of landed batches tells of its sweep: progress, counts, was it answered."""

from collections.abc import Iterator
from itertools import count

from dagster import (
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetKey,
    MaterializeResult,
)

from orchestration.lib import metadata
from orchestration.lib.failures import is_unreachable, retry_unless_spent
from orchestration.lib.looks import Look
from orchestration.lib.progress import OnProgress, Progress
from orchestration.lib.sweep import OnLook, Tally

ANSWERED = "answered"


def answered_check(key: AssetKey, who: str) -> AssetCheckSpec:
    """Return the check that a sweep's platform was there at all."""
    return AssetCheckSpec(ANSWERED, asset=key, description=f"{who} answered at least one look.")


def telling(step: str, on_progress: OnProgress) -> OnLook:
    """Return what tells the progress of a sweep, look by look."""
    done = count(1)

    def tell(look: Look) -> None:
        on_progress(Progress(step, next(done), note=look.target.handle))

    return tell


def reported(
    key: AssetKey, who: str, tally: Tally, retry_number: int
) -> Iterator[MaterializeResult[None] | AssetCheckResult]:
    """Report a sweep that came to its end; ask for another try where nobody answered."""
    if is_unreachable(tally.outcomes):
        retry_unless_spent(retry_number)
    yield MaterializeResult(
        asset_key=key,
        metadata={
            metadata.LOOKS: tally.looks,
            metadata.OUTCOMES: dict(tally.outcomes),
            metadata.PROFILES: tally.profiles,
            metadata.POSTS: tally.posts,
            metadata.COMMENTS: tally.comments,
            metadata.BATCHES: len(tally.batches),
        },
    )
    yield AssetCheckResult(
        asset_key=key,
        check_name=ANSWERED,
        passed=not is_unreachable(tally.outcomes),
        severity=AssetCheckSeverity.ERROR,
        description=f"{who} answered none of {tally.looks} looks",
    )
