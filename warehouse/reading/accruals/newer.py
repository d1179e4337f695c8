"""Accruals as they stand now: as published, and in their place those newer decisions are about.

The newer ones travel as one JSON parameter, so that filters, pages and totals of one query see one
state. (Arrow would need what takes a process 40 MB, and DuckDB cannot join ids of Arrow tables.)

The mart `payout_accruals` has the published ones for everybody; here its two halves are read apart,
which leaves out joins over all accruals of an organization: a page of a million takes a tenth.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Any, get_args, get_type_hints
from uuid import UUID

from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.facts import Moment

COLUMNS = tuple(field.name for field in fields(Accrual))

TYPES: dict[type, str] = {
    UUID: "UUID",
    str: "VARCHAR",
    int: "BIGINT",
    date: "DATE",
    datetime: "TIMESTAMPTZ",
    Decimal: "DECIMAL(38, 9)",
}


def _type_of(hint: Any) -> str:
    """Return the type of a column whose field may also be None; words of a closed set are text."""
    [kind] = {type(one) if isinstance(one, str) else one for one in get_args(hint) or (hint,)} - {
        type(None)
    }
    return TYPES[kind]


COLUMN_TYPES = {name: _type_of(hint) for name, hint in get_type_hints(Accrual).items()}

UNDECIDED = """
    select
        *,
        'earning' as kind,
        cast(null as uuid) as adjusts_accrual_id,
        cast(null as integer) as adjustment_number,
        cast(null as date) as booked_in,
        cast(null as varchar) as reason,
        cast($as_of as timestamptz) as computed_at,
        rules.status_by_time(
            cast($as_of as timestamptz), ends_at, period_end, timezone, $settling_days
        ) as status,
        cast(null as uuid) as payment_id,
        cast(null as varchar) as note
    from marts.payout_earned
    anti join ({decided}) using (accrual_id)
    where organization_id = $organization_id
"""
DECIDED_IDS = """
    select accrual_id
    from marts.payout_decided_accruals
    where organization_id = $organization_id
"""
DECIDED = """
    select *
    from marts.payout_decided_accruals
    where organization_id = $organization_id
"""
PUBLISHED = f"""
    select {", ".join(COLUMNS)} from ({UNDECIDED.format(decided=DECIDED_IDS)})
    union all
    select {", ".join(COLUMNS)} from ({DECIDED})
"""  # noqa: S608  column names of ours
CURRENT = f"""
    with

    subjects as (
        select cast(unnest(string_split($subjects, ',')) as uuid) as subject
    ),

    newer as (
        select unnest(from_json($newer, '[{json.dumps(COLUMN_TYPES)}]'), max_depth := 2)
    )

    select {", ".join(COLUMNS)}
    from ({UNDECIDED.format(decided=f"{DECIDED_IDS} union all select subject from subjects")})
    union all
    select {", ".join(COLUMNS)}
    from ({DECIDED}) as decided
    anti join subjects
        on coalesce(decided.adjusts_accrual_id, decided.accrual_id) = subjects.subject
    union all
    select {", ".join(COLUMNS)}
    from newer
"""  # noqa: S608  as above


@dataclass(frozen=True, slots=True)
class Newer:
    """The subjects that something was decided about since, and all accruals of theirs.

    `moment` is the publication's.
    """

    moment: Moment
    subjects: Sequence[UUID] = ()
    accruals: Sequence[Accrual] = ()


def current_accruals(organization_id: UUID, newer: Newer) -> tuple[str, dict[str, Any]]:
    """Return SQL of an organization's accruals as they stand now, and its parameters."""
    parameters: dict[str, Any] = {
        "organization_id": organization_id,
        "as_of": newer.moment.as_of,
        "settling_days": newer.moment.settling_days,
    }
    if not newer.subjects:
        return PUBLISHED, parameters
    rows = [{name: getattr(one, name) for name in COLUMNS} for one in newer.accruals]
    return CURRENT, {
        **parameters,
        "subjects": ",".join(map(str, newer.subjects)),
        "newer": json.dumps(rows, default=str),
    }
