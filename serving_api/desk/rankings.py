"""Rankings by growth in a period: filters, both orders, and CSV."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Response
from pydantic import Field

from serving_api.desk.choices import campaign_choices
from serving_api.desk.forms import FormQuery
from serving_api.desk.periods import Period
from serving_api.desk.sorting import MOST_IN_FILE, Header, file_for_people
from serving_api.errors import InvalidParams
from serving_api.kit.days import DayRangeQuery
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Platform
from serving_api.resources.analytics.leaderboards import service
from serving_api.resources.analytics.leaderboards.comparing import Window, where_known
from serving_api.resources.analytics.leaderboards.schemas import Board
from warehouse.reading.leaderboards import BoardMetric, BoardQuestion, Leaderboard, RankedEntity

ON_A_PAGE = 50
COLUMNS = ("rank", "id", "name", "gained", "before_tracking", "change_pct")


class RankingQuery(FormQuery):
    """Filters and offset of a ranking. Forms send empty fields too."""

    platform: Platform | None = None
    campaign: UUID | None = None
    order: Literal["highest", "lowest"] = "highest"
    offset: int = Field(default=0, ge=0, le=2**31 - 1)

    @property
    def is_filtered(self) -> bool:
        """Whether the ranking leaves out a part of the project."""
        return bool(self.platform or self.campaign)

    @property
    def scope(self) -> dict[str, Any]:
        return {
            "platform": self.platform,
            "campaign_id": self.campaign,
            "limit": ON_A_PAGE,
            "offset": self.offset,
        }


@dataclass(frozen=True, slots=True)
class Ranking:
    """A page of a ranking; `campaigns` are the choices of its filter."""

    query: RankingQuery
    metric: str
    period: Period
    board: Board[Any]
    campaigns: Mapping[str, str]

    @property
    def values(self) -> dict[str, str]:
        """The query parameters to keep in filters and period links."""
        chosen = self.query.model_dump(mode="json", exclude_defaults=True, exclude={"offset"})
        return {"metric": self.metric, **chosen}

    @property
    def carried(self) -> dict[str, str]:
        """The query parameters to keep in links to other metrics."""
        return {**self.period.query, **self.values}

    @property
    def previous_offset(self) -> int | None:
        """The previous page's offset, or None on the first."""
        return max(self.query.offset - ON_A_PAGE, 0) if self.query.offset else None

    @property
    def headers(self) -> list[Header]:
        """The header of the values, which reverses the order."""
        is_lowest = self.query.order == "lowest"
        href = self.address(order="highest" if is_lowest else "lowest")
        return [Header("Gained", True, "ascending" if is_lowest else "descending", href)]

    def address(self, **changes: object) -> str:
        return f"?{urlencode({**self.carried, **changes})}"


def ranking_of(
    context: RequestContext,
    project_id: UUID,
    *,
    query: RankingQuery,
    period: Period,
    board: Board[Any],
    metric: str,
) -> Ranking:
    """Return a ranking, with the latest campaigns as filter choices."""
    names = campaign_choices(context, project_id, query.campaign)
    return Ranking(query, metric, period, board, names)


def ranking_file(name: str, board: Board[Any]) -> Response:
    rows = (
        (
            entry.rank,
            str(entry.entity.id),
            entry.entity.label,
            entry.value,
            entry.before_tracking,
            entry.change_pct,
        )
        for entry in board.data
    )
    return file_for_people(name, COLUMNS, rows)


def views_gained(
    context: RequestContext,
    project_id: UUID,
    period: Period,
    ranked: RankedEntity,
    metric: BoardMetric = "views",
) -> tuple[Window, Leaderboard]:
    """Return the views, or another metric, that creators or campaigns gained while tracked."""
    window = service.window_of(context, DayRangeQuery(**period.span), refusal=InvalidParams)
    question = BoardQuestion(
        ranked=ranked,
        metric=metric,
        project_id=project_id,
        limit=MOST_IN_FILE,
        while_tracked=True,
    )
    entries = service.entries_of(context, window, question)
    return where_known(context, window, project_id, None), entries
