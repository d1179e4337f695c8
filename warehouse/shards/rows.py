"""Which rows of the copied tables belong to a shard, as SQL for both PostgreSQL and DuckDB.

If several shards compute an organization's projects, each has the rows of the whole organization:
its zones, tags and settings. The owner of a row never changes, so a copy that continues never has
to drop rows.
"""

from collections.abc import Collection
from uuid import UUID

from warehouse.catalogue.table import OwnedBy, Table
from warehouse.shards.members import Members


def rows_of(members: Members | None, table: Table) -> str:
    """Return the condition for the members' rows of a copied table; None is everybody.

    Raises TypeError for a table without a declared owner.
    """
    if members is None:
        return "true"
    if table.owned_by is None:
        raise TypeError(f"table {table.name} has no declared owner")
    whole = _whole(members, table.owned_by.organization)
    if not members.projects and not members.except_projects:
        return whole
    return _with_projects(members, table.owned_by, whole)


def _whole(members: Members, organization: str) -> str:
    if members.rest:
        return f"not {_among(organization, members.except_organizations)}"
    return _among(organization, members.organizations)


def _with_projects(members: Members, owned_by: OwnedBy, whole: str) -> str:
    if owned_by.project is None:
        own = _among("id", members.projects)
        some = f"{owned_by.organization} in (select organization_id from projects where {own})"  # noqa: S608
        return f"({whole} or {some})"
    others = _among(owned_by.project, members.except_projects)
    own = _among(owned_by.project, members.projects)
    return f"({whole} and not coalesce({others}, false) or coalesce({own}, false))"


def _among(expression: str, ids: Collection[UUID]) -> str:
    listed = ", ".join(f"'{each}'" for each in sorted(ids))
    return f"{expression} in ({listed})" if ids else "false"
