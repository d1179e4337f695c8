"""A fingerprint of what people decided and the models depend on: a change of it asks for a rollup.

Taken before the operational copy, so that a decision made meanwhile causes one rollup too many
rather than one too few. Readings and profile fields are not in it: they come with batches.
"""

import hashlib
from typing import Any

from sqlalchemy import ColumnElement, Select, String, cast, func, select

from warehouse.operational.base import Identified
from warehouse.operational.models import (
    Account,
    Campaign,
    CampaignItem,
    CommentSettings,
    Creator,
    Organization,
    OrganizationZone,
    Video,
    VideoOwner,
    VideoStatus,
)
from warehouse.operational.session import ReadSession

Facts = Select[*tuple[Any, ...]]


def decisions_fingerprint(session: ReadSession) -> str:
    """Return a short text that differs whenever membership, owners, statuses or zones differ."""
    facts = [[tuple(row) for row in session.execute(query)] for query in _facts()]
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def _facts() -> list[Facts]:
    """Ask for count and newest id of appended rows, and for the newest endings of ended ones.

    A status decided twice at one instant replaces its row, which only the counts by status show.
    """
    appended = (VideoOwner, VideoStatus, OrganizationZone, CampaignItem, Campaign, Organization)
    ended = (Creator, Account)
    return [
        *(_rows(model) for model in appended),
        select(func.count(), func.max(CommentSettings.updated_at)),
        *(_rows(model).add_columns(*_endings(model)) for model in ended),
        select(Video.tracking_status, func.count())
        .group_by(Video.tracking_status)
        .order_by(Video.tracking_status),
    ]


def _rows(model: type[Identified]) -> Facts:
    return select(func.count(), func.max(cast(model.id, String))).select_from(model)


def _endings(model: type[Creator | Account]) -> list[ColumnElement[Any]]:
    return [
        func.max(model.removed_at),
        func.max(model.deactivated_at),
        func.count(model.deactivated_at),
    ]
