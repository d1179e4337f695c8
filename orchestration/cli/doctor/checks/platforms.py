"""Whether platforms answer: how the looks of the last day ended, as it was published."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, bad, ok, warn
from scrapers.outcomes import Outcome
from scrapers.remedies import remedy
from warehouse.publication.current import CurrentPublication
from warehouse.reading.looks import RecentLooks, looks_at_platforms


def platforms_in(current: CurrentPublication) -> Iterator[Finding]:
    """Find platforms that refused more than half of the looks before the publication."""
    with current.cursor() as cursor:
        found = looks_at_platforms(cursor)
    for platform, looks in sorted(found.items()):
        yield _finding(platform, looks)


def _finding(platform: str, looks: RecentLooks) -> Finding:
    answered = looks.looks - looks.refused
    told = f"{platform}: answered {answered} of {looks.looks} looks in the last day"
    if not looks.is_refused or looks.refused_since is None or looks.commonest_refusal is None:
        return ok("platforms", told)
    told += f"; refusing since {looks.refused_since.isoformat()}, mostly {looks.commonest_refusal}"
    finding = warn if answered else bad
    way_out = remedy(Outcome(looks.commonest_refusal), platform)
    return finding("platforms", told, f"{platform}: {way_out}.")
