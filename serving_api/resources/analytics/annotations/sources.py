"""SQL of annotations: one statement for users' and for automatic ones in PostgreSQL.

An entity has its own and those of its parents: its campaigns at any depth, and a video's creator.
Only milestones of creators come from the publication.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal
from uuid import UUID

from psycopg.rows import class_row
from sqlalchemy.orm import Session

from serving_api.kit.cursor import Cursor
from serving_api.resources.analytics.annotations.schemas import AutoKind, Scope
from warehouse.operational.session import driver_of

OWNERS = """
    select distinct
        videos.creator_id as id,
        coalesce(creators.display_name, creators.id::text) as label
    from videos
    inner join creators on creators.id = videos.creator_id
    where videos.organization_id = %(organization_id)s and videos.id = any(%(entity_ids)s)
"""

MEMBERS: dict[Scope, str] = {
    "creator": "creator_id = any(%(entity_ids)s)",
    "video": "video_id = any(%(entity_ids)s) or creator_id in (select id from owners)",
    "campaign": "child_campaign_id = any(%(entity_ids)s)",
}

STATEMENT = """
with recursive

owners as ({owners}),

parents as (
    select campaign_id
    from campaign_items
    where organization_id = %(organization_id)s and ({members})
    union
    select items.campaign_id
    from campaign_items as items
    inner join parents on parents.campaign_id = items.child_campaign_id
    where items.organization_id = %(organization_id)s
),

lineage as (
    select
        cast(%(scope)s as text) as scope,
        unnest(cast(%(entity_ids)s as uuid[])) as entity_id,
        cast(null as text) as entity_label
    union all
    select 'creator', id, label
    from owners
    union all
    select 'campaign', campaigns.id, campaigns.name
    from campaigns
    inner join parents on parents.campaign_id = campaigns.id
    where campaigns.organization_id = %(organization_id)s and campaigns.id <> all(%(entity_ids)s)
),

entries as (
    select
        annotations.id as sort_id,
        'user' as kind,
        lineage.scope,
        lineage.entity_id,
        lineage.entity_label,
        annotations.at,
        annotations.title,
        annotations.body_md,
        annotations.author_id,
        null::jsonb as profile
    from lineage
    inner join annotations using (scope, entity_id)
    where annotations.organization_id = %(organization_id)s
    {automatic}
)

select
    entries.*,
    users.display_name as author_name
from entries
left join users on users.id = entries.author_id
where
    entries.at >= %(start)s and entries.at < %(until)s
    and (entries.at, entries.sort_id) < (%(before_at)s, %(before_id)s)
order by entries.at desc, entries.sort_id desc
limit %(limit)s
"""

AUTOMATIC = """
    union all
    select
        campaigns.id, 'campaign_created', lineage.scope, lineage.entity_id, lineage.entity_label,
        campaigns.created_at, null, null, null, null
    from lineage
    inner join campaigns on lineage.scope = 'campaign' and campaigns.id = lineage.entity_id
    where campaigns.organization_id = %(organization_id)s
    union all
    select
        entries.id, 'readme_changed', lineage.scope, lineage.entity_id, lineage.entity_label,
        entries.changed_at, null, null, audit_entries.user_id, null
    from lineage
    inner join change_entries as entries
        on entries.entity_type = lineage.scope and entries.entity_id = lineage.entity_id
    inner join audit_entries on audit_entries.id = entries.audit_entry_id
    where
        entries.organization_id = %(organization_id)s
        and entries.kind in ('changed', 'notes')
        and jsonb_exists(entries.changes, 'readme')
    union all
    select
        observed.id, 'creator_profile_change', lineage.scope, lineage.entity_id,
        lineage.entity_label, observed.observed_at, null, null, null,
        jsonb_build_object(
            'platform', accounts.platform, 'handle', accounts.handle, 'changes', observed.changes
        )
    from lineage
    inner join accounts on lineage.scope = 'creator' and accounts.creator_id = lineage.entity_id
    inner join account_profile_changes as observed on observed.account_id = accounts.id
    where observed.organization_id = %(organization_id)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationQuestion:
    """The newest `limit` annotations of some entities from `start` to before `until`.

    `before` is the position of the previous page's last annotation.
    """

    organization_id: UUID
    scope: Scope
    entity_ids: Sequence[UUID]
    start: datetime
    until: datetime
    before: Cursor
    limit: int
    hide_auto: bool = False


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """A user's annotation, or the data of an automatic one: `profile` or only its kind."""

    sort_id: UUID
    kind: Literal["user"] | AutoKind
    scope: Scope
    entity_id: UUID
    entity_label: str | None
    at: datetime
    title: str | None
    body_md: str | None
    author_id: UUID | None
    profile: Mapping[str, Any] | None
    author_name: str | None


def stored(session: Session, query: AnnotationQuestion) -> Sequence[AnnotationRow]:
    """Return the annotations in PostgreSQL, newest first."""
    parameters = {
        "organization_id": query.organization_id,
        "scope": query.scope,
        "entity_ids": list(query.entity_ids),
        "start": query.start,
        "until": query.until,
        "before_at": query.before.at,
        "before_id": query.before.id,
        "limit": query.limit,
    }
    with driver_of(session).cursor(row_factory=class_row(AnnotationRow)) as cursor:
        statement = _statement(query.scope, hide_auto=query.hide_auto)
        return cursor.execute(statement, parameters).fetchall()


def creators_of(session: Session, query: AnnotationQuestion) -> dict[UUID, str | None]:
    """Return the creators whose milestones are shown, with a label if they are parents."""
    if query.scope == "creator":
        return dict.fromkeys(query.entity_ids)
    if query.scope == "campaign":
        return {}
    parameters = {"organization_id": query.organization_id, "entity_ids": list(query.entity_ids)}
    return dict(driver_of(session).execute(OWNERS, parameters).fetchall())


@cache
def _statement(scope: Scope, *, hide_auto: bool) -> str:
    no_owners = "select null::uuid as id, null::text as label where false"
    return STATEMENT.format(
        owners=OWNERS if scope == "video" else no_owners,
        members=MEMBERS[scope],
        automatic="" if hide_auto else AUTOMATIC,
    )
