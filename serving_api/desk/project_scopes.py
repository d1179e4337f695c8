"""A user's projects, in the organizations that the user is a member of."""

from dataclasses import dataclass
from uuid import UUID

from psycopg import Connection
from psycopg.rows import TupleRow, class_row

from serving_api.kit.principals import Principal

MINE = """
    select
        projects.id as project_id,
        projects.name as project_name,
        projects.is_archived,
        organizations.id as organization_id,
        organizations.name as organization_name,
        organizations.logo_path,
        organizations.plan,
        organizations.analytics_tz,
        members.role
    from members
    join organizations on organizations.id = members.organization_id
    join projects on projects.organization_id = organizations.id
    where members.user_id = %(user_id)s and not organizations.is_suspended
"""
ONE = f"{MINE} and projects.id = %(project_id)s"
ALL = f"""{MINE}
    order by organization_name, organization_id, is_archived, project_name, project_id
"""


@dataclass(slots=True)
class ProjectScope:
    """A project with its organization, and the user's role."""

    project_id: UUID
    project_name: str
    is_archived: bool
    organization_id: UUID
    organization_name: str
    logo_path: str | None
    plan: str
    analytics_tz: str
    role: str


def project_scope_of(
    connection: Connection[TupleRow], user_id: UUID, project_id: UUID
) -> ProjectScope | None:
    """Return a member's project, or None. Suspended organizations are left out."""
    with connection.cursor(row_factory=class_row(ProjectScope)) as cursor:
        return cursor.execute(ONE, {"user_id": user_id, "project_id": project_id}).fetchone()


def project_scopes_of(connection: Connection[TupleRow], user_id: UUID) -> list[ProjectScope]:
    """Return a user's projects by organization, archived ones last."""
    with connection.cursor(row_factory=class_row(ProjectScope)) as cursor:
        return cursor.execute(ALL, {"user_id": user_id}).fetchall()


def principal_at(scope: ProjectScope, user_id: UUID, display_name: str) -> Principal:
    """Return the member as a principal with all scopes of the role.

    Platform admins have no extra rights on the desk.
    """
    return Principal(
        channel="page",
        key_id=None,
        key_name="desk",
        organization_id=scope.organization_id,
        organization_name=scope.organization_name,
        plan_name=scope.plan,
        analytics_tz=scope.analytics_tz,
        user_id=user_id,
        maker_id=user_id,
        display_name=display_name,
        role=scope.role,
        is_platform_admin=False,
        granted=("read", "write", "admin"),
    )
