"""Leaderboards: videos, creators or campaigns ranked by what they gained in a range of days.

`query` says what can be asked and what comes back, `scope` whose days are looked at, `values` how
they become one value for each, `ranking` puts them in order.
"""

from warehouse.reading.leaderboards.query import (
    BoardMetric,
    Leaderboard,
    LeaderboardQuery,
    Ranked,
    RankedEntity,
)
from warehouse.reading.leaderboards.ranking import leaderboard

__all__ = [
    "BoardMetric",
    "Leaderboard",
    "LeaderboardQuery",
    "Ranked",
    "RankedEntity",
    "leaderboard",
]
