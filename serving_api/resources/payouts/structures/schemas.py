"""Filters and answers of payout structures (contract, Payout structure)."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.envelope import Envelope
from serving_api.kit.pagination import PageQuery
from serving_api.kit.platform_scope import PlatformScope
from serving_api.kit.schemas import Metadata, Platform
from serving_api.resources.payouts.structures.rules import CriteriaType, Period, ProrationMode


class StructureQuery(PageQuery):
    project_id: UUID | None = None
    is_active: bool | None = Field(default=None, description="False: archived structures only")


class RemovalQuery(BaseModel):
    mode: Literal["archive", "hard"] = Field(
        default="archive",
        description="`archive` ends all assignments today and keeps history. `hard` deletes"
        " permanently; it requires the scope `admin` and a structure that was never assigned",
    )


class _AnsweredRule(BaseModel):
    """A rule as it is shown. Cents are in `currency`; parameters are complete."""

    period: Period | None
    amount_cents: int | None
    currency: Literal["USD"]
    criteria_type: CriteriaType
    criteria_params: dict[str, Any]
    proration_mode: ProrationMode
    backfill_on_assignment: bool
    period_anchor: int | None
    platform_scope: PlatformScope
    platform: Platform | None
    account_id: UUID | None
    hold_anomalies: bool


class _Numbered(BaseModel):
    id: UUID
    version_number: int


class Version(_AnsweredRule, _Numbered):
    """A version of a rule, which never changes.

    It applies from the period that contains `created_at`.
    """

    created_at: datetime
    created_by: UUID | None


class _Named(BaseModel):
    id: UUID
    project_id: UUID
    name: str


class Structure(_AnsweredRule, _Named):
    """A payout structure with its current rule.

    `timezone` defines its days and periods: the organization's, or the one in which accruals were
    frozen that still are (money.md M15).
    """

    timezone: str
    metadata: Metadata
    readme: str | None
    is_active: bool
    archived_at: datetime | None
    created_at: datetime
    updated_at: datetime


class StructureDetail(Structure):
    """A structure with all versions, newest first. The first one is current.

    `assignment_count` counts assignments that have not ended.
    """

    readme_version: str
    current_version: Version
    versions: list[Version]
    assignment_count: int


class Created(BaseModel):
    """A new structure and its first version."""

    structure_id: UUID
    version_id: UUID


class NewVersion(BaseModel):
    """The version that a rule change created."""

    version_id: UUID
    version_number: int


class RemovedStructure(BaseModel):
    """What was done: archived or deleted permanently."""

    id: UUID
    mode: Literal["archive", "hard"]


class ChangedStructure(Envelope[Structure | NewVersion]):
    """The structure after a cosmetic change, or the version that a rule change created."""
