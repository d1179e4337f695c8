"""Which rows of the copied tables are a shard's: SQL that both PostgreSQL and DuckDB understand.

Of an organization whose projects several shards compute, each of them has what is the whole
organization's: its zones, its tags, its settings. Whose a row is never changes, so that a copy
which goes on has none to give away.
"""

from collections.abc import Collection
from uuid import UUID

from warehouse.catalogue.table import OwnedBy, Table
from warehouse.shards.members import Members


def rows_of(members: Members | None, table: Table) -> str:
    """Return the condition by which rows of a copied table are the members'; None is everybody.

    Raises TypeError for a table of which nobody has said whose its rows are.
    """
    if members is None:
        return "true"
    if table.owned_by is None:
        raise TypeError(f"nobody has said whose the rows of {table.name} are")
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
