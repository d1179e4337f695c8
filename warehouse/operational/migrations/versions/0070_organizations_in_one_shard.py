"""Assign whole organizations to shards; refuse to divide one."""

from alembic import op
from sqlalchemy import text

from warehouse.operational.migrations import DividedOrganizationError

revision = "0070"
down_revision = "0069"

OF_PROJECTS = """
    create temporary table shards_of_projects on commit drop as
    select
        projects.organization_id,
        coalesce(own.shard, whole.shard, 'main') as shard,
        coalesce(own.served_by, whole.served_by, 'main') as served_by
    from projects
    left join shard_assignments as own on own.project_id = projects.id
    left join shard_assignments as whole
        on whole.organization_id = projects.organization_id and whole.project_id is null
    where projects.organization_id in (
        select organization_id from shard_assignments where project_id is not null
    )
    group by 1, 2, 3
"""
DIVIDED = """
    select organization_id from shards_of_projects
    group by organization_id having count(*) > 1 order by organization_id limit 1
"""
JOIN = """
    update shard_assignments as assigned
    set shard = of_projects.shard, served_by = of_projects.served_by
    from shards_of_projects as of_projects
    where of_projects.organization_id = assigned.organization_id;

    delete from shard_assignments as assigned using shard_assignments as kept
    where kept.organization_id = assigned.organization_id
        and assigned.project_id is not null
        and (kept.project_id is null or kept.id < assigned.id);

    update shard_assignments set project_id = null where project_id is not null
"""


def upgrade() -> None:
    """Raise DividedOrganizationError: no publication has all projects of such an organization."""
    op.execute(OF_PROJECTS)
    if divided := op.get_bind().scalar(text(DIVIDED)):
        raise DividedOrganizationError(divided)
    op.execute(JOIN)
