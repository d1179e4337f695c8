"""Forecast cost of a rule of $1 per 1,000 views after 20 March, as of the 21st."""

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest

from tests.dbt_project.changed_worlds import columns_of, with_other_ids
from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import Tables, zone_offsets
from tests.dbt_project.stories import as_copied
from tests.oracles.payout_world import CREATOR, OWNER, STRUCTURE, Row, World, at

ZONE = "America/Los_Angeles"
AS_OF = at(21, 20)
TRACKED_FROM = datetime(2026, 2, 1, 20, tzinfo=UTC)
OTHER_ACCOUNT = UUID(int=90)


class Steady(World):
    """A post that gains 1,000 views a day and is paid since January."""

    def __init__(self) -> None:
        super().__init__(ZONE)
        self.tables["creators"].append({"id": CREATOR, **OWNER})
        self.cpm("monthly")
        days = {"start_date": date(2026, 1, 1), "end_date": None}
        self.add("payout_assignments", structure_id=STRUCTURE, creator_id=CREATOR, **days)
        post = self.post(datetime(2025, 12, 1, tzinfo=UTC))
        for day in range(49):
            self.read(post, TRACKED_FROM + timedelta(days=day), 12_000 + 1_000 * day)

    def add_post(self, posted_at: datetime, first: datetime, views: int) -> None:
        """Track another account with a post without gains, deleted after 5 March."""
        account = self.tables["accounts"][0] | {"id": OTHER_ACCOUNT}
        self.tables["accounts"].append(account)
        post = self.post(posted_at)
        post["account_id"] = OTHER_ACCOUNT
        for day in range((at(6) - first).days):
            self.read(post, first + timedelta(days=day), views)


class WithOlderPost(Steady):
    """Its views are not paid: it is older than the creator's assignment."""

    def __init__(self) -> None:
        super().__init__()
        self.add_post(datetime(2025, 1, 1, tzinfo=UTC), at(2, 20), 1_000_000)


class WithOlderPostInFebruary(Steady):
    """The paid share of views to come follows from the month before."""

    def __init__(self) -> None:
        super().__init__()
        self.add_post(datetime(2025, 1, 1, tzinfo=UTC), TRACKED_FROM, 1_000_000)


class WithNewerPost(Steady):
    """Its views are paid, though they are older than the tracking of its account."""

    def __init__(self) -> None:
        super().__init__()
        self.add_post(at(1, 20), at(2, 20), 100_000)


class WithRateOfTheEvening(Steady):
    """Views cost ten times as much from 18:00 on 20 March, which is the 21st in UTC."""

    def __init__(self) -> None:
        super().__init__()
        tiers = [{"up_to_impressions": None, "cents_per_thousand": 1_000}]
        self.cpm("monthly", created_at=at(21, 1), tiers=tiers)


WORLDS = (
    Steady,
    WithOlderPost,
    WithOlderPostInFebruary,
    WithNewerPost,
    WithRateOfTheEvening,
)


@pytest.fixture(scope="module")
def to_come(tmp_path_factory: pytest.TempPathFactory) -> dict[type[World], int]:
    """Build each world as an organization, and return the forecast cents."""
    harness = Harness(tmp_path_factory.mktemp("payout_forecasts"))
    tables: Tables = {"zone_offsets": [*zone_offsets((ZONE,))]}
    readings: list[Row] = []
    for number, world in enumerate((kind() for kind in WORLDS), 1):
        readings += with_other_ids(world.readings, number)
        for table, rows in world.tables.items():
            copied = [columns_of(table, with_other_ids(row, number)) for row in rows]
            tables.setdefault(table, []).extend(copied)
    harness.ingest(video_snapshots=readings)
    harness.decide(**as_copied(tables))
    harness.build(harness.begin(as_of=AS_OF), "+payout_forecasts")
    by_structure = {
        row["entity_id"]: row["to_come_cents"]
        for row in harness.rows("payout_forecasts")
        if row["entity"] == "structure"
    }
    return {world: by_structure[with_other_ids(STRUCTURE, n)] for n, world in enumerate(WORLDS, 1)}


@pytest.mark.slow
@pytest.mark.parametrize("world", [WithOlderPost, WithOlderPostInFebruary, WithNewerPost])
def test_views_before_tracking_are_not_forecast(
    to_come: dict[type[World], int], world: type[World]
) -> None:
    assert to_come[Steady] > 0
    assert to_come[world] == to_come[Steady]


@pytest.mark.slow
def test_a_rate_applies_from_the_organizations_local_day(to_come: dict[type[World], int]) -> None:
    assert to_come[WithRateOfTheEvening] == pytest.approx(10 * to_come[Steady], rel=0.01)
