"""Accruals as they stand now: as published, and in their place those newer decisions are about.

The newer ones travel as one JSON parameter, so that filters, pages and totals of one query see one
state. (Arrow would need what takes a process 40 MB, and DuckDB cannot join ids of Arrow tables.)
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from warehouse.catalogue.accruals import columns_of
from warehouse.reading.accruals.accrual import COMPUTED_NAMES, Accrual
from warehouse.reading.accruals.facts import Moment
from warehouse.reading.statements import over, statement

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

HALVES: Final = {name: statement(__name__, f"{name}.sql") for name in ("decided", "earnings")}
SINCE: Final = {name: statement(__name__, f"{name}.sql") for name in ("subjects", "newer")}
PUBLISHED: Final = over(statement(__name__, "published.sql"), **HALVES)
CURRENT: Final = over(statement(__name__, "current.sql"), **HALVES, **SINCE)
COLUMNS: Final = json.dumps([{column.name: column.type for column in columns_of(Accrual)}])
"""What DuckDB reads newer accruals as."""


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
    parameters = published_parameters(organization_id, newer.moment)
    if not newer.subjects:
        return PUBLISHED, parameters
    return CURRENT, {
        **parameters,
        "subjects": ",".join(map(str, newer.subjects)),
        "newer": json.dumps([row_of(accrual) for accrual in newer.accruals], default=str),
        "newer_columns": COLUMNS,
    }


def published_parameters(organization_id: UUID, moment: Moment) -> dict[str, Any]:
    """Return the parameters of PUBLISHED."""
    return {"organization_id": organization_id, "computed": COMPUTED_NAMES, **asdict(moment)}


def row_of(record: "DataclassInstance") -> dict[str, Any]:
    """Return a record's fields as they are: `asdict` copies each id, many times as slowly."""
    return {field.name: getattr(record, field.name) for field in fields(record)}
