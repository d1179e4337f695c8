"""Missing accounts behind a wall: a platform that hides even known ones refuses."""

from dataclasses import replace

from orchestration.scraping.fetches import Fetch
from scrapers.outcomes import MISSING, Outcome
from scrapers.refusing import NOT_THERE, hidden


def behind_a_wall(fetches: list[Fetch]) -> list[Fetch]:
    """Return the fetches; if a wall hides known accounts, missing ones become refusals."""
    known = [
        (fetch.target.known_as, fetch.report.outcome)
        for fetch in fetches
        if fetch.target.known_as is not None
    ]
    if not hidden(known):
        return fetches
    return [
        replace(
            fetch, report=replace(fetch.report, outcome=Outcome.BLOCKED_SILENT, detail=NOT_THERE)
        )
        if fetch.target.known_as is not None and fetch.report.outcome in MISSING
        else fetch
        for fetch in fetches
    ]
