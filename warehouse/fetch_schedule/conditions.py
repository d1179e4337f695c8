"""SQLAlchemy conditions as SQL text, for statements that are clearer as SQL."""

from sqlalchemy import ColumnElement, func, literal, or_, select
from sqlalchemy.dialects import postgresql

from warehouse.operational.models import Account, PostSchedule, Video


def sql_of(condition: ColumnElement[bool] | ColumnElement[str]) -> str:
    query = select(literal(1)).where(condition)  # correlates as inside a query
    compiled = query.compile(
        dialect=postgresql.dialect(),  # type: ignore[no-untyped-call]
        compile_kwargs={"literal_binds": True},
    )
    return str(compiled).partition("\nWHERE ")[2]


SUBJECT_OF_ACCOUNT: ColumnElement[str] = func.coalesce(
    Account.platform_user_id, literal("@") + Account.handle
)
"""The account fetch of an account, shared by all projects that track it."""

SUBJECT_SQL = sql_of(SUBJECT_OF_ACCOUNT)

HAS_VIEWS = or_(PostSchedule.views.is_not(None), Video.media_type.is_not_distinct_from("video"))
"""The schedule forgets the views of a post that is paused."""

HAS_VIEWS_SQL = sql_of(HAS_VIEWS)
