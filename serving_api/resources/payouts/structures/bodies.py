"""Bodies that create and change payout structures: a class for each type of rule.

Only the fields beside the rule belong here; the rule is in `rules`.
"""

from typing import Annotated, Literal, Self, get_args
from uuid import UUID

from pydantic import (
    AfterValidator,
    Field,
    StrictBool,
    StrictInt,
    ValidationInfo,
    field_validator,
    model_validator,
)

from serving_api.kit.platform_scope import PlatformScope, Scoped
from serving_api.kit.schemas import Changes, Metadata, Name, Readme, discriminated_by, tag, unsent
from serving_api.resources.payouts.structures import rules
from serving_api.resources.payouts.structures.rules import CriteriaType

TYPES: tuple[CriteriaType, ...] = get_args(CriteriaType)


def _no_backfill(sent: bool | None) -> None:
    if sent:
        raise ValueError("is only for view_threshold and conversion")


def _no_anchor(sent: int | None) -> None:
    if sent is not None:
        raise ValueError("is only for a weekly conversion structure")


Backfill = Annotated[
    StrictBool | None,
    Field(
        description="Also pay what was earned before the assignment. Defaults to false",
        examples=[False],
    ),
]
Anchor = Annotated[
    Annotated[StrictInt, Field(ge=1, le=7)] | None,
    Field(description="ISO weekday on which the week starts. Null: Monday", examples=[None]),
]


class NewStructure(Scoped):
    """The fields of a new structure beside its rule."""

    project_id: UUID
    name: Name
    backfill_on_assignment: Annotated[Backfill, AfterValidator(_no_backfill)] = None
    period_anchor: Annotated[Anchor, AfterValidator(_no_anchor)] = None
    metadata: Metadata | None = None
    readme: Readme | None = None


class NewRecurring(NewStructure, rules.Recurring):
    """A structure that pays a fixed amount for each period."""


class NewGoals(NewStructure, rules.Goals):
    """A structure that pays an amount for each period whose goals are met."""


class NewCpm(NewStructure, rules.Cpm):
    """A structure that pays per thousand views gained."""


class NewViewThreshold(NewStructure, rules.ViewThreshold):
    """A structure that pays a bonus when a video reaches a view count."""

    backfill_on_assignment: Backfill = None


class NewPerConversion(NewStructure, rules.PerConversion):
    """A structure that pays for conversions."""

    backfill_on_assignment: Backfill = None
    period_anchor: Anchor = None

    @field_validator("period_anchor")
    @classmethod
    def _of_weeks(cls, anchor: int | None, info: ValidationInfo) -> int | None:
        if info.data.get("period") != "weekly":
            _no_anchor(anchor)
        return anchor


AnyNewStructure = NewRecurring | NewGoals | NewCpm | NewViewThreshold | NewPerConversion
NewStructureBody = Annotated[
    Annotated[NewRecurring, tag("recurring")]
    | Annotated[NewGoals, tag("goals")]
    | Annotated[NewCpm, tag("cpm")]
    | Annotated[NewViewThreshold, tag("view_threshold")]
    | Annotated[NewPerConversion, tag("conversion")],
    discriminated_by("criteria_type", *TYPES),
]


class CosmeticChanges(Changes):
    """Changes that do not need a new version."""

    kind: Literal["cosmetic"]
    name: Name = unsent()
    metadata: Metadata = unsent()

    @model_validator(mode="after")
    def _something_beside_the_kind(self) -> Self:
        if self.model_fields_set == {"kind"}:
            raise ValueError("send at least one of name and metadata")
        return self


class _NewVersion(Scoped):
    """A new rule that replaces the current one. Without `platform_scope` the scope stays."""

    kind: Literal["rule"]
    expected_version: StrictInt | None = Field(
        default=None, description="The version_number it replaces. Any other answers 409"
    )

    @field_validator("platform_scope")
    @classmethod
    def _sent_or_left_out(cls, scope: PlatformScope | None) -> PlatformScope:
        if scope is None:
            raise ValueError("must not be null. Leave it out to keep the scope")
        return scope


class RecurringRule(_NewVersion, rules.Recurring):
    """A new rule: a fixed amount for each period."""


class GoalsRule(_NewVersion, rules.Goals):
    """A new rule: an amount for each period whose goals are met."""


class CpmRule(_NewVersion, rules.Cpm):
    """A new rule: a price per thousand views gained."""


class ViewThresholdRule(_NewVersion, rules.ViewThreshold):
    """A new rule: a bonus for each video and view count."""


class ConversionRule(_NewVersion, rules.PerConversion):
    """A new rule: a share or an amount for each conversion."""


AnyRule = RecurringRule | GoalsRule | CpmRule | ViewThresholdRule | ConversionRule
RuleBody = Annotated[
    Annotated[RecurringRule, tag("recurring")]
    | Annotated[GoalsRule, tag("goals")]
    | Annotated[CpmRule, tag("cpm")]
    | Annotated[ViewThresholdRule, tag("view_threshold")]
    | Annotated[ConversionRule, tag("conversion")],
    discriminated_by("criteria_type", *TYPES),
]
StructureChanges = Annotated[
    Annotated[CosmeticChanges, tag("cosmetic")] | Annotated[RuleBody, tag("rule")],
    discriminated_by("kind", "cosmetic", "rule"),
]
