"""What every source of a series gives to the buckets: SQL of the changes of one metric.

The tables are a `with` list without the word, whose last two are

- opening (total): one row, the count before all changes; null while it was never known
- changes (day, change): by how much it changed on local days up to the range's last one; days
  before the range count into what the range opens with
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Changes:
    """The tables `opening` and `changes` as SQL, and the parameters that they need."""

    tables: str
    parameters: dict[str, object] = field(default_factory=dict)
