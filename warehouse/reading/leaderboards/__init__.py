"""Leaderboards: videos, creators or campaigns ranked by gains in a range of days.

`query` has the query and result types, `scope` the days to read, `values` reduces them to one value
per entity, `ranking` sorts them.
"""

from warehouse.reading.leaderboards.query import (
    BoardMetric,
    BoardQuestion,
    Leaderboard,
    LeaderboardQuery,
    Ranked,
    RankedEntity,
)
from warehouse.reading.leaderboards.ranking import leaderboard

__all__ = [
    "BoardMetric",
    "BoardQuestion",
    "Leaderboard",
    "LeaderboardQuery",
    "Ranked",
    "RankedEntity",
    "leaderboard",
]
