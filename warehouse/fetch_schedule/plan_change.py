"""A change of the plan in two halves: what is to be another, and the writing of that.

PostgreSQL lets several processors find rows, but never where the same statement writes. About some
posts both halves are one statement; about all there are, what was found waits in a table.
"""

from dataclasses import dataclass

ROWS = "with found as {} {}"

_BY_WHOLE_TABLES = "set local enable_nestloop = off; set local parallel_tuple_cost = 0"
"""Row by row is the longest way round: where nothing is planned yet PostgreSQL knows no better, nor
that most rows are as they are to be, so that few pass from one processor to another."""
_ROWS_IN_BULK = """
    create temporary table rows_in_bulk on commit drop as
    select * from ({}) as found order by row_ctid
"""
"""In the order of pages: a join in parts gives rows of all of them again and again."""
_BY_CTID = """
    set local enable_nestloop = on;
    set local enable_hashjoin = off;
    set local enable_mergejoin = off
"""
_AS_USUAL = """
    set local parallel_tuple_cost to default;
    set local enable_nestloop to default;
    set local enable_hashjoin to default;
    set local enable_mergejoin to default
"""


@dataclass(frozen=True, slots=True)
class PlanChange:
    """A query that `finds` rows, and what goes behind `with found as (...)` and `writes` them.

    What is found has a `row_ctid`: where the row lies. Rows of post_looks are written to by it:
    whoever holds the plan's lock is alone in writing to them, so none has moved in between.
    """

    finds: str
    writes: str

    def about(self, **conditions: str) -> "PlanChange":
        """Return the change about what the conditions say."""
        return PlanChange(self.finds.format(**conditions), self.writes)

    @property
    def statement(self) -> str:
        """Both halves in one."""
        return ROWS.format(f"materialized ({self.finds})", self.writes)

    @property
    def in_bulk(self) -> tuple[str, ...]:
        """The halves by themselves, for what is about all there is."""
        return (
            _BY_WHOLE_TABLES,
            _ROWS_IN_BULK.format(self.finds),
            _BY_CTID,
            ROWS.format("not materialized (table rows_in_bulk)", self.writes),
            "drop table rows_in_bulk",
            _AS_USUAL,
        )
