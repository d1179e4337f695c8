"""What of the decisions is in the plan of looks, so that a round goes by what is new alone.

Nothing is yet: the first round plans everything.
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the plan's reach, and have deadlines and freshness say which transaction wrote them."""
    op.create_table(
        "plan_reach",
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("rule", sa.String(), nullable=False),
        sa.Column("up_to", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("origin", name=op.f("pk_plan_reach")),
    )
    op.add_column(
        "look_deadlines",
        sa.Column(
            "changed_by",
            sa.BigInteger(),
            server_default=sa.text("pg_current_xact_id()::text::bigint"),
            nullable=False,
        ),
    )
    op.create_index(op.f("ix_look_deadlines_changed_by"), "look_deadlines", ["changed_by"])
    op.execute(
        "create trigger note_freshness before update of freshness on organizations"
        " for each row when (old.freshness is distinct from new.freshness)"
        " execute function note_writer()"
    )
