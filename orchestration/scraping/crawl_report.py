"""Reports crawls as assets: progress, counts, and whether the platform answered."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import count
from time import monotonic

from dagster import (
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetKey,
    MaterializeResult,
)

from orchestration.running import steps
from orchestration.running.progress import OnProgress, Progress
from orchestration.scraping.crawl import OnFetch, Tally
from orchestration.scraping.fetches import Fetch
from orchestration.scraping.patience import OnWait
from scrapers.outcomes import Outcome
from scrapers.refusing import REFUSALS, Refusal, remedy
from warehouse.platforms import PLATFORM_NAMES

ANSWERED = "answered"
LEFT = "the next crawl continues (TRACKER_SCRAPE_PATIENCE_SECONDS)"
LINE_SECONDS = 60.0
"""Between two lines about the paused routes of a platform."""


def answered_check(key: AssetKey, who: str) -> AssetCheckSpec:
    description = f"{who} answers, and no fetch was deferred."
    return AssetCheckSpec(ANSWERED, asset=key, description=description)


def progress_reports(step: str, on_progress: OnProgress) -> OnFetch:
    """Return a report of each fetch, with a line a minute while routes of its platform pause."""
    done, next_lines = count(1), dict[str, float]()

    def report(fetch: Fetch) -> None:
        on_progress(Progress(step, next(done), note=fetch.target.handle))
        now, platform = monotonic(), fetch.target.platform
        if fetch.is_put_off and now >= next_lines.get(platform, now):
            next_lines[platform] = now + LINE_SECONDS
            reason = (fetch.report.detail or fetch.report.outcome).partition(";")[0]
            on_progress(Progress("wait", note=f"{PLATFORM_NAMES[platform]}: {reason}"))

    return report


def pause_reports(platform: str, on_progress: OnProgress) -> OnWait:
    def report(seconds: float) -> None:
        note = f"{PLATFORM_NAMES[platform]} requests a pause: waiting for {seconds:.0f} s"
        on_progress(Progress("wait", note=note))

    return report


def retry_reports(platform: str, on_progress: OnProgress) -> Callable[[datetime], None]:
    def report(at: datetime) -> None:
        note = f"{PLATFORM_NAMES[platform]}: waiting for paying fetches until {at:%H:%M:%S} UTC"
        on_progress(Progress("wait", note=note))

    return report


def reported(
    key: AssetKey, who: str, tally: Tally
) -> Iterator[MaterializeResult[None] | AssetCheckResult]:
    """Report a completed crawl. One without fetches has no result: the last check stays."""
    yield MaterializeResult(
        asset_key=key,
        metadata={
            steps.FETCHES: tally.fetches,
            steps.OUTCOMES: dict(tally.outcomes),
            steps.PROFILES: tally.profiles,
            steps.POSTS: tally.posts,
            steps.COMMENTS: tally.comments,
            steps.BATCHES: len(tally.batches),
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
    return Counter({outcome: outcomes[outcome] for outcome in REFUSALS if outcomes.get(outcome)})


def _summarize(who: str, refusal: Refusal | None, tally: Tally) -> str:
    refused = refusals_among(tally.outcomes)
    sentence = f"{who} answered {tally.fetches - refused.total()} of {tally.fetches} fetches"
    if tally.wait_seconds is not None:
        way_out = remedy(Outcome.RATE_LIMITED, who)
        return f"{sentence} and requested a pause of {tally.wait_seconds:.0f} s: {LEFT}; {way_out}"
    if not refused:
        return sentence
    outcome = refusal.outcome if refusal else refused.most_common(1)[0][0]
    way_out = remedy(outcome, who, tally.log.unreachable_status)
    return f"{sentence}; {refused[outcome]} ended as {outcome}: {way_out}"
