"""Present accruals: published ones, replaced where there are newer decisions.

The newer ones are one JSON parameter, so that filters, pages and totals of a query see the same
state. (Arrow would cost 40 MB per process, and DuckDB cannot join ids of Arrow tables.)
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
"""DuckDB's types of newer accruals."""


@dataclass(frozen=True, slots=True)
class Newer:
    """The subjects with newer decisions, and all of their accruals.

    `moment` is the publication's.
    """

    moment: Moment
    subjects: Sequence[UUID] = ()
    accruals: Sequence[Accrual] = ()


def current_accruals(organization_id: UUID, newer: Newer) -> tuple[str, dict[str, Any]]:
    """Return SQL for an organization's present accruals, and its parameters."""
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
    return {"organization_id": organization_id, "computed": COMPUTED_NAMES, **asdict(moment)}


def row_of(record: "DataclassInstance") -> dict[str, Any]:
    """Return a record's fields uncopied: `asdict` copies each id, which is many times slower."""
    return {field.name: getattr(record, field.name) for field in fields(record)}
