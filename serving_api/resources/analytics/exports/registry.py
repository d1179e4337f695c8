"""All datasets by their name in the URL: an entry here adds one."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.orm import Session

from serving_api.errors import InvalidParams
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.resources.analytics.exports.anomalies import AnomaliesDataset
from serving_api.resources.analytics.exports.campaign_costs import CampaignCostsDataset
from serving_api.resources.analytics.exports.dataset import Dataset
from serving_api.resources.analytics.exports.lists import CampaignLeaderboard, ListDataset
from serving_api.resources.analytics.exports.payouts import (
    AccrualsDataset,
    Tracked,
    present_tracked,
    tracked_creators,
)
from serving_api.resources.analytics.exports.schemas import ExportQuery
from serving_api.resources.payouts.payments import repository as payment_rows
from serving_api.resources.payouts.payments import service as payments
from serving_api.resources.payouts.payments.schemas import Payment
from serving_api.resources.programs.campaigns import repository as campaign_rows
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import Campaign, CampaignQuery
from serving_api.resources.programs.goals import service as goal_rows
from serving_api.resources.programs.goals.schemas import Goal
from serving_api.resources.programs.goals.service import present
from serving_api.resources.tracking.creators import repository as creator_rows
from serving_api.resources.tracking.creators import repository as creators
from serving_api.resources.tracking.creators.schemas import Creator, CreatorQuery
from serving_api.resources.tracking.videos import presenter as videos
from serving_api.resources.tracking.videos import repository as video_rows
from serving_api.resources.tracking.videos.schemas import Video, VideoQuery
from warehouse.operational import models
from warehouse.operational.campaign_reach import campaigns_of, has_creator, has_video


def _creators(
    session: Session, organization_id: UUID, query: ExportQuery
) -> Select[models.Creator]:
    listed = CreatorQuery(project_id=query.project_id)
    rows = creator_rows.filtered(session, organization_id, listed)
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
    "creators": ListDataset(Creator, creator_rows.NEWEST_FIRST, _creators, creators.present),
    "videos": ListDataset(Video, video_rows.NEWEST_FIRST, _videos, videos.present),
    "campaigns": ListDataset(Campaign, campaign_rows.NEWEST_FIRST, _campaigns, campaigns.present),
    "goals": ListDataset(Goal, goal_rows.NEWEST_FIRST, _goals, _present_goals),
    "campaign-leaderboard": CampaignLeaderboard(),
    "campaign-costs": CampaignCostsDataset(),
    "payouts-tracker": ListDataset(
        Tracked, creator_rows.NEWEST_FIRST, tracked_creators, present_tracked
    ),
    "payments": ListDataset(Payment, payment_rows.NEWEST_FIRST, _payments, payments.present),
    "accruals": AccrualsDataset(),
    "anomalies": AnomaliesDataset(),
}


def dataset_of(name: str) -> Dataset:
    """Return a dataset by name. Raises InvalidParams, which lists the known names."""
    if name not in DATASETS:
        known = ", ".join(DATASETS)
        raise InvalidParams.at("dataset", f"must be one of {known}")
    return DATASETS[name]
