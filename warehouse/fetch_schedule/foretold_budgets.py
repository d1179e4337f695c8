"""What daily budgets of requests leave room for, while a forecast goes forward (`forecast`)."""

from collections.abc import Mapping
from datetime import datetime

import psycopg

from warehouse.fetch_schedule.budget import DAY, allowance
from warehouse.operational.spending import Spent, spent_on
from warehouse.operational.store import OperationalStore

_SPENT = """
    select count(*) filter (where with_account) + coalesce(sum(pages + lone), 0)
    from reached where platform = %(platform)s and at >= %(midnight)s
"""
_PAYING = """
    select count(*) from visits
    where platform = %(platform)s and pays_at >= %(until)s and pays_at < %(tomorrow)s
"""
_ALLOW = """
    insert into allowed values (%(platform)s, %(visits)s, %(others)s)
    on conflict (platform) do update set visits = excluded.visits, others = excluded.others
"""


class Budgets:
    """The most requests a day by platform; a sample has its part of them."""

    def __init__(
        self,
        store: OperationalStore,
        connection: psycopg.Connection,
        stands_for: int,
        most: Mapping[str, int],
    ) -> None:
        self.connection = connection
        self._stands_for = stands_for
        self._most = most
        self._today = store.clock().date()
        with store.read_session() as session:
            self._spent = spent_on(session, self._today)

    def allow(self, begins: datetime, until: datetime) -> None:
        """Note for each platform what may be fetched between two instants."""
        midnight = begins.replace(hour=0, minute=0, second=0, microsecond=0)
        for platform, most in self._most.items():
            values = {"platform": platform, "midnight": midnight, "until": until}
            values["tomorrow"] = midnight + DAY
            spent, paying = self._count(_SPENT, values), self._count(_PAYING, values)
            if begins.date() == self._today:
                spent += self._spent.get(platform, Spent()).requests // self._stands_for
            allowed = allowance(most // self._stands_for, spent, paying, begins)
            self.connection.execute(
                _ALLOW,
                {"platform": platform, "visits": allowed.account_fetches, "others": allowed.others},
            )

    def _count(self, query: str, values: Mapping[str, object]) -> int:
        [[count]] = self.connection.execute(query, values).fetchall()
        return int(count)
