"""Count what carries each tag where it changes: a list of tags counted all items of all of them.

Who tags items counts them (`serving_api.resources.programs.tags.assignments`). Items that begin or
end to count do so here, whoever changes them: under the lock of who tags items of that type in
that organization, so that the later of the two sees what the earlier did.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

COUNT_TAGS_OF_ITEM = """
create function count_tags_of_item() returns trigger language plpgsql as $$
begin
    perform pg_advisory_xact_lock(
        hashtextextended('tags/' || new.organization_id || '/' || tg_argv[0], 0)
    );
    update tags
    set usage_count = usage_count + tg_argv[1]::integer
    from tag_items
    where tag_items.item_id = new.id and tags.id = tag_items.tag_id;
    return null;
end
$$
"""
ITEMS = (
    ("creator", "is_active", "{row}.is_active"),
    ("account", "is_active", "{row}.is_active"),
    ("video", "tracking_status", "{row}.tracking_status <> 'excluded'"),
)


def upgrade() -> None:
    count = sa.Column("usage_count", sa.Integer(), server_default="0", nullable=False)
    op.add_column("tags", count)
    op.execute(
        "update tags set usage_count = carried.count"
        " from (select tag_id, count(*) from tag_items"
        "  where not exists (select from creators where id = item_id and not is_active)"
        "  and not exists (select from accounts where id = item_id and not is_active)"
        "  and not exists"
        "   (select from videos where id = item_id and tracking_status = 'excluded')"
        "  group by tag_id) as carried"
        " where tags.id = carried.tag_id"
    )
    op.execute(COUNT_TAGS_OF_ITEM)
    for kind, column, is_counted in ITEMS:
        before, after = is_counted.format(row="old"), is_counted.format(row="new")
        for name, condition, rise in (
            ("count_tags_again", f"not ({before}) and {after}", 1),
            ("count_tags_no_more", f"{before} and not ({after})", -1),
        ):
            op.execute(
                f"create trigger {name} after update of {column} on {kind}s"
                f" for each row when ({condition})"
                f" execute function count_tags_of_item('{kind}', '{rise}')"
            )
