"""What every source of a series gives to the buckets: SQL of the changes of one metric.

The tables are a `with` list without the word. Its last one is

changes (day, change): by how much the count changed, on local days up to the range's last one.
All days before the range only add up to what the range opens with, so a source may give them as
one. A change of 0 says that the count is known from that day on; no row, that it is not.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Changes:
    """The table `changes` as SQL, with those it needs, and their parameters."""

    tables: str
    parameters: dict[str, object] = field(default_factory=dict)
