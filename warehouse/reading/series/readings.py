"""Readings of counters at instants, by member, for exact days.

Single readings of posts and accounts; for creators and campaigns also sums by quarter of an hour,
which are far fewer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from warehouse.catalogue.counters import VIDEO_COUNTERS
from warehouse.reading.series.changes import one_of
from warehouse.reading.series.daily import COLUMNS
from warehouse.reading.series.local_days import instant_literal
from warehouse.reading.series.members import accounts_of, videos_of
from warehouse.reading.series.metrics import POST_COUNTERS, Counter, Entity
from warehouse.reading.series.query import Member, SeriesQuery

ONE_OF = {counter.plural: counter.name for counter in VIDEO_COUNTERS}
DELTAS: Mapping[Counter, str] = {
    **{plural: f"{ONE_OF[plural]}_delta" for plural in POST_COUNTERS},
    "followers": "follower_delta",
}
QUARTERS: Mapping[Entity, str] = {
    "creator": "creator_quarter_hours",
    "campaign": "campaign_quarter_hours",
}

OF_MEMBERS = """
    select
        member,
        captured_at as read_at,
        {changes}
    from marts.{mart}
    inner join ({members}) as members using ({key})
    where captured_at >= {{begin}} and captured_at < {{end}}
"""

OF_QUARTERS = """
    select
        {member} as member,
        quarter_at as read_at,
        {changes}
    from machinery.{quarters}
    where
        organization_id = $organization_id
        and {is_selected}
        and quarter_at >= {{begin}}
        and quarter_at < {{end}}
"""


@dataclass(frozen=True)
class Readings:
    """The query of (member, read_at, <counter>...) between two instants, and its parameters.

    `are_few`: all of them can be read, of any age.
    """

    counters: tuple[Counter, ...]
    template: str
    parameters: Mapping[str, object]
    are_few: bool = False

    def between(self, begin: datetime, end: datetime) -> str:
        """Return the query of readings from `begin` to before `end`."""
        return self.template.format(begin=instant_literal(begin), end=instant_literal(end))


def readings_of_posts(
    query: SeriesQuery, counters: Sequence[Counter], kind: Member | None
) -> Readings:
    videos = videos_of(query, "video_id", kind)
    template = OF_MEMBERS.format(
        changes=_named(DELTAS, counters), mart="video_deltas", members=videos.sql, key="video_id"
    )
    return Readings(tuple(counters), template, videos.parameters)


def readings_of_accounts(query: SeriesQuery) -> Readings:
    accounts = accounts_of(query, "account_id")
    template = OF_MEMBERS.format(
        changes=_named(DELTAS, ["followers"]),
        mart="account_snapshots",
        members=accounts.sql,
        key="account_id",
    )
    return Readings(("followers",), template, accounts.parameters)


def readings_by_quarters(query: SeriesQuery, counters: Sequence[Counter]) -> Readings:
    """Return sums of creators or campaigns, each at the start of its quarter of an hour."""
    member = f"{query.entity}_id"
    is_selected, ids = one_of(member, "entity", query.entity_ids)
    template = OF_QUARTERS.format(
        member=member,
        changes=_named(COLUMNS, counters),
        quarters=QUARTERS[query.entity],
        is_selected=is_selected,
    )
    # Campaigns are few: their quarters are adjacent, and not in monthly files.
    return Readings(tuple(counters), template, ids, are_few=query.entity == "campaign")


def _named(columns: Mapping[Counter, str], counters: Sequence[Counter]) -> str:
    return ", ".join(f"{columns[counter]} as {counter}" for counter in counters)
