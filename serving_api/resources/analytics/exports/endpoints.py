"""`/exports/analytics` and `/exports/{dataset}`: an entry in DATASETS adds a dataset."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Request
from sqlalchemy import Select
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Reader, ReadKey
from serving_api.errors import InvalidCursor, InvalidParams, NotFound, RetentionExceeded
from serving_api.http.keyed_route import keyed_router
from serving_api.http.sessions import ReadDbs
from serving_api.kit.computed import computed_page
from serving_api.kit.csv import MEDIA_TYPE, CsvResponse, csv_response
from serving_api.kit.cursor import RowKey
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.kit.schemas import Params
from serving_api.kit.services import services_of
from serving_api.openapi import answers
from serving_api.resources.analytics.exports.anomalies import AnomaliesDataset
from serving_api.resources.analytics.exports.campaign_costs import CampaignCostsDataset
from serving_api.resources.analytics.exports.dataset import (
    AnalyticsExportQuery,
    Dataset,
    Export,
    ExportQuery,
    Source,
)
from serving_api.resources.analytics.exports.lists import CampaignLeaderboard, ListDataset
from serving_api.resources.analytics.exports.payouts import (
    AccrualsDataset,
    Tracked,
    present_tracked,
    tracked_creators,
)
from serving_api.resources.analytics.series import service
from serving_api.resources.analytics.series.presenter import COLUMNS, csv_rows
from serving_api.resources.analytics.series.schemas import Analytics
from serving_api.resources.analytics.series.service import CSV, ParamsRoute
from serving_api.resources.payouts.payments import repository as payment_rows
from serving_api.resources.payouts.payments import service as payments
from serving_api.resources.payouts.payments.schemas import Payment
from serving_api.resources.programs.campaigns import repository as campaign_rows
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import Campaign, CampaignQuery
from serving_api.resources.programs.goals import service as goal_rows
from serving_api.resources.programs.goals.schemas import Goal
from serving_api.resources.programs.goals.service import present
from serving_api.resources.tracking.creators import repository as creators
from serving_api.resources.tracking.creators.schemas import Creator, CreatorQuery
from serving_api.resources.tracking.videos import presenter as videos
from serving_api.resources.tracking.videos import repository as video_rows
from serving_api.resources.tracking.videos.schemas import Video, VideoQuery
from warehouse.csv_cells import Cell
from warehouse.operational import models
from warehouse.operational.campaign_reach import campaigns_of, has_creator, has_video


def _creators(
    session: Session, organization_id: UUID, query: ExportQuery
) -> Select[models.Creator]:
    listed = CreatorQuery(project_id=query.project_id)
    rows = creators.filtered(session, organization_id, listed)
    if query.campaign_id is not None:
        rows = rows.where(has_creator(organization_id, query.campaign_id))
    return rows


def _videos(session: Session, organization_id: UUID, query: ExportQuery) -> Select[models.Video]:
    listed = VideoQuery(project_id=query.project_id)
    rows = video_rows.filtered(session, organization_id, listed)
    if query.campaign_id is not None:
        rows = rows.where(has_video(organization_id, query.campaign_id))
    return rows


def _campaigns(
    session: Session, organization_id: UUID, query: ExportQuery
) -> Select[models.Campaign]:
    listed = CampaignQuery(project_id=query.project_id)
    rows = campaign_rows.filtered(session, organization_id, listed)
    if query.campaign_id is not None:
        within = campaigns_of(organization_id, query.campaign_id)
        rows = rows.where(models.Campaign.id.in_(within))
    return rows


def _goals(_session: Session, organization_id: UUID, query: ExportQuery) -> Select[models.Goal]:
    rows = goal_rows.of_listed_creators(organization_id, query.project_id)
    if query.campaign_id is not None:
        within = has_creator(organization_id, query.campaign_id)
        rows = rows.where(within)
    return rows


def _present_goals(_context: RequestContext, rows: Sequence[models.Goal]) -> Sequence[Goal]:
    return [present(row) for row in rows]


def _payments(
    _session: Session, organization_id: UUID, query: ExportQuery
) -> Select[models.PayoutPayment]:
    rows = rows_of(models.PayoutPayment, organization_id)
    if query.project_id is not None:
        rows = rows.where(models.PayoutPayment.project_id == query.project_id)
    if query.campaign_id is not None:
        reached = rows_of(models.Creator, organization_id).where(
            has_creator(organization_id, query.campaign_id)
        )
        ids = reached.with_only_columns(models.Creator.id)
        rows = rows.where(models.PayoutPayment.creator_id.in_(ids))
    return rows


DATASETS: Mapping[str, Dataset] = {
    "creators": ListDataset(Creator, creators.NEWEST_FIRST, _creators, creators.present),
    "videos": ListDataset(Video, video_rows.NEWEST_FIRST, _videos, videos.present),
    "campaigns": ListDataset(Campaign, campaign_rows.NEWEST_FIRST, _campaigns, campaigns.present),
    "goals": ListDataset(Goal, goal_rows.NEWEST_FIRST, _goals, _present_goals),
    "campaign-leaderboard": CampaignLeaderboard(),
    "campaign-costs": CampaignCostsDataset(),
    "payouts-tracker": ListDataset(
        Tracked, creators.NEWEST_FIRST, tracked_creators, present_tracked
    ),
    "payments": ListDataset(
        Payment, payment_rows.NEWEST_FIRST, _payments, payments.present, payment_rows.dated_since
    ),
    "accruals": AccrualsDataset(),
    "anomalies": AnomaliesDataset(),
}
SERIES = "analytics"
"""The dataset with an endpoint of its own."""


def dataset_of(name: str) -> Dataset:
    """Return a dataset by name. Raises InvalidParams, which lists the known names."""
    if name not in DATASETS:
        known = ", ".join([*DATASETS, SERIES])
        raise InvalidParams.at("dataset", f"must be one of {known}")
    return DATASETS[name]


def export_series(context: RequestContext, query: AnalyticsExportQuery) -> Export:
    """Return the page. Raises the errors of analytics, and InvalidCursor."""
    about = query.model_dump_json(exclude={"from_day", "to_day", "limit", "cursor"})
    zone = query.tz or context.caller.analytics_tz  # of the days: another one is another file
    listing = f"exports/analytics/{context.organization_id}/{zone}/{about}"
    with computed_page(context.session, context.marts, listing, query.cursor) as page:
        of_page = page.in_days(query).model_copy(update={"hide_auto": "1"})
        days = service.days_of(context, of_page)
        analytics = service.read_series(replace(context, marts=page.numbers), of_page).data
        rest = page.rest([*zip(_keys(analytics), csv_rows(analytics), strict=True)], _key)
        following = page.next_cursor(rest, query.limit, _key, (days.from_day, days.to_day))
    return Export(COLUMNS, iter([row for _, row in rest[: query.limit]]), following)


def _keys(analytics: Analytics) -> Iterator[RowKey]:
    """Yield each row's key: the number of its series and its bucket."""
    all_series = (*analytics.series, *analytics.compare_series, *analytics.breakdown_series)
    for number, each_series in enumerate(all_series):
        for point in each_series["points"]:
            yield RowKey(number, point["bucket_start"])


def _key(row: tuple[RowKey, Sequence[Cell]]) -> RowKey:
    return row[0]


NEXT_CURSOR = "X-Next-Cursor"
_TEXT = {"schema": {"type": "string"}}

FILE: dict[str, Any] = {
    "headers": {
        "Content-Disposition": {"description": "A name for the file.", **_TEXT},
        NEXT_CURSOR: {"description": "Cursor of the next page. Absent on the last page.", **_TEXT},
    }
}
EXAMPLE_ROWS = (
    "rank,entity.id,entity.label,value,previous_value,change_pct,share_pct\r\n"
    "1,01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e,Spring launch,1200,1000,20.0,60.0\r\n"
)
"""An example: a page of `campaign-leaderboard`."""

series = keyed_router("exports", ParamsRoute)
"""Registered before `router`, where `analytics` would be taken for a dataset."""

router = keyed_router("exports")


@series.get(
    "/exports/analytics",
    response_class=CsvResponse,
    responses={
        200: {**FILE, **CSV},
        **answers(InvalidCursor, InvalidParams, NotFound, RetentionExceeded),
    },
)
def export_analytics(*, context: Reader, query: Params[AnalyticsExportQuery]) -> CsvResponse:
    """Return time series as CSV, by page. Rows are those of `/analytics` with `format=csv`."""
    return _file(SERIES, export_series(context, query))


@router.get(
    "/exports/{dataset}",
    response_class=CsvResponse,
    responses={
        200: {**FILE, "content": {MEDIA_TYPE: {**_TEXT, "example": EXAMPLE_ROWS}}},
        **answers(InvalidCursor, InvalidParams, NotFound, RetentionExceeded),
    },
    description=f"Return a dataset as CSV, by page. Datasets: `{'`, `'.join(DATASETS)}`.",
)
def export_dataset(
    *,
    request: Request,
    caller: ReadKey,
    sessions: ReadDbs,
    dataset: Annotated[str, Path(json_schema_extra={"enum": [*DATASETS]})],
    query: Params[ExportQuery],
) -> CsvResponse:
    """Return a dataset as CSV, by page."""
    services = services_of(request)
    with ExitStack() as stack:
        numbers = stack.enter_context(services.published.pinned()).of(caller.organization_id)
        source = Source(caller, sessions, numbers, services)
        export = dataset_of(dataset).export(source, dataset, query)
        rows = _ending(export.rows, stack.pop_all())
    return _file(dataset, replace(export, rows=rows))


def _ending(rows: Iterator[Sequence[Cell]], stack: ExitStack) -> Iterator[Sequence[Cell]]:
    """Yield the rows, then close what they are read from."""
    with stack:
        yield from rows


def _file(name: str, export: Export) -> CsvResponse:
    following = {NEXT_CURSOR: export.next_cursor} if export.next_cursor else {}
    return csv_response(name, export.columns, export.rows, following)
