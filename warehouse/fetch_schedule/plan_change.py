"""A change of the schedule in two halves: find the rows, then write them.

PostgreSQL finds rows in parallel only in a statement that does not write. For some posts both
halves are one statement; for all of them, found rows are stored in a temporary table.
"""

from dataclasses import dataclass

ROWS = "with targets as {} {}"

_BY_WHOLE_TABLES = "set local enable_nestloop = off; set local parallel_tuple_cost = 0"
"""Avoid nested loops, which PostgreSQL chooses without statistics while nothing is planned. Make
parallel tuples free, because most rows need no change and few are passed between workers."""
_ROWS_IN_BULK = """
    create temporary table rows_in_bulk on commit drop as
    select * from ({}) as targets order by row_ctid
"""
"""Sorted by page, because a parallel join returns rows of all pages in turns."""
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
    """A query that `finds` rows, and the rest of a statement after `with targets as (...)`.

    Found rows have `row_ctid`, their physical position. Rows of post_looks are updated by it: only
    the holder of the plan's lock writes them, so none moves in between.
    """

    finds: str
    writes: str

    def about(self, **conditions: str) -> "PlanChange":
        return PlanChange(self.finds.format(**conditions), self.writes)

    @property
    def statement(self) -> str:
        return ROWS.format(f"materialized ({self.finds})", self.writes)

    @property
    def in_bulk(self) -> tuple[str, ...]:
        """The halves as separate statements, for changes of the whole schedule."""
        return (
            _BY_WHOLE_TABLES,
            _ROWS_IN_BULK.format(self.finds),
            _BY_CTID,
            ROWS.format("not materialized (table rows_in_bulk)", self.writes),
            "drop table rows_in_bulk",
            _AS_USUAL,
        )
