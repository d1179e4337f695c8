"""What every asset of landed batches tells of its crawl: progress, counts, was it answered."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count

from dagster import (
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetKey,
    MaterializeResult,
)

from orchestration.running import metadata
from orchestration.running.progress import OnProgress, Progress
from orchestration.scraping.crawl import OnFetch, Tally
from orchestration.scraping.failures import is_unreachable, retry_unless_spent
from orchestration.scraping.fetches import Fetch
from orchestration.scraping.patience import OnWait
from scrapers.outcomes import Outcome
from scrapers.refusing import Refusal
from scrapers.remedies import REFUSALS, remedy

ANSWERED = "answered"
LEFT = "the rest is left for the next crawl (TRACKER_SCRAPE_PATIENCE_SECONDS)"


def answered_check(key: AssetKey, who: str) -> AssetCheckSpec:
    """Return the check that a crawl's platform let itself be fetched, to the end."""
    description = f"{who} answers, and cut no fetch off."
    return AssetCheckSpec(ANSWERED, asset=key, description=description)


def progress_reports(step: str, on_progress: OnProgress) -> OnFetch:
    """Return what tells the progress of a crawl, look by look."""
    done = count(1)

    def report(fetch: Fetch) -> None:
        on_progress(Progress(step, next(done), note=fetch.target.handle))

    return report


def pause_reports(who: str, on_progress: OnProgress) -> OnWait:
    """Return what tells that a crawl waits, and for how long."""
    return lambda seconds: on_progress(Progress(f"pause {who}", note=f"{seconds:.0f} s"))


def reported(
    key: AssetKey, who: str, tally: Tally, retry_number: int
) -> Iterator[MaterializeResult[None] | AssetCheckResult]:
    """Report a crawl that came to its end; ask for another try where nobody answered.

    A crawl without fetches says nothing of the platform: the last check stays.
    """
    if is_unreachable(tally.outcomes):
        retry_unless_spent(retry_number)
    yield MaterializeResult(
        asset_key=key,
        metadata={
            metadata.FETCHES: tally.fetches,
            metadata.OUTCOMES: dict(tally.outcomes),
            metadata.PROFILES: tally.profiles,
            metadata.POSTS: tally.posts,
            metadata.COMMENTS: tally.comments,
            metadata.BATCHES: len(tally.batches),
        },
    )
    if not tally.fetches and not tally.is_cut:
        return
    refusal = tally.log.refusal()
    yield AssetCheckResult(
        asset_key=key,
        check_name=ANSWERED,
        passed=refusal is None and not tally.is_cut,
        severity=AssetCheckSeverity.ERROR,
        description=_summarize(who, refusal, tally),
    )


def refusals_among(outcomes: Mapping[str, int]) -> Counter[Outcome]:
    """Return how many fetches were refused, by how."""
    return Counter({outcome: outcomes[outcome] for outcome in REFUSALS if outcomes.get(outcome)})


def _summarize(who: str, refusal: Refusal | None, tally: Tally) -> str:
    refused = refusals_among(tally.outcomes)
    sentence = f"{who} answered {tally.fetches - refused.total()} of {tally.fetches} fetches"
    if tally.wait_seconds is not None:
        way_out = remedy(Outcome.RATE_LIMITED, who)
        return f"{sentence} and asked for a pause of {tally.wait_seconds:.0f} s: {LEFT}; {way_out}"
    if not refused:
        return sentence
    outcome = refusal.outcome if refusal else refused.most_common(1)[0][0]
    return f"{sentence}; {refused[outcome]} ended as {outcome}: {remedy(outcome, who)}"
