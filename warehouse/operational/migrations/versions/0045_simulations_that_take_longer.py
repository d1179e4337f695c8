"""Simulations that take longer than a request: what was asked, and what came of it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

JOBS, FOUND = "payout_simulations", "payout_simulation_creators"
STATUS = "status in ('queued', 'running', 'succeeded', 'failed')"


def upgrade() -> None:
    """Create both tables."""
    _create_jobs()
    _create_found()


def _create_jobs() -> None:
    instant = sa.DateTime(timezone=True)
    counts = ("creators_done", "periods", "videos")
    op.create_table(
        JOBS,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("structure_id", sa.Uuid(), nullable=True),
        sa.Column("rule", postgresql.JSONB(), nullable=False),
        sa.Column("creators", postgresql.ARRAY(sa.Uuid()), nullable=False),
        sa.Column("from_day", sa.Date(), nullable=False),
        sa.Column("to_day", sa.Date(), nullable=False),
        sa.Column("timezone", sa.String(), nullable=False),
        sa.Column("status", sa.String(), server_default="queued", nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("publication_id", sa.Uuid(), nullable=True),
        sa.Column("as_of", instant, nullable=True),
        *(sa.Column(one, sa.Integer(), server_default="0", nullable=False) for one in counts),
        sa.Column("simulated_cents", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("in_force_cents", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_expires_at", instant, nullable=True),
        sa.Column("started_at", instant, nullable=True),
        sa.Column("finished_at", instant, nullable=True),
        sa.Column("expires_at", instant, nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("updated_at", instant, nullable=False),
        sa.CheckConstraint(STATUS, name=op.f(f"ck_{JOBS}_status")),
        sa.CheckConstraint(
            "(status = 'failed') = (error is not null)", name=op.f(f"ck_{JOBS}_error")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f(f"fk_{JOBS}_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f(f"fk_{JOBS}_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{JOBS}")),
    )
    op.create_index(
        f"ix_{JOBS}_open",
        JOBS,
        ["created_at"],
        postgresql_where=sa.text("status in ('queued', 'running')"),
    )
    op.create_index(
        f"ix_{JOBS}_organization_id_created_at", JOBS, ["organization_id", "created_at", "id"]
    )
    for column in ("project_id", "expires_at"):
        op.create_index(op.f(f"ix_{JOBS}_{column}"), JOBS, [column])


def _create_found() -> None:
    counts = ("periods_before", "periods", "videos_before", "videos")
    op.create_table(
        FOUND,
        sa.Column("simulation_id", sa.Uuid(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.Column("simulated_cents", sa.BigInteger(), nullable=False),
        sa.Column("in_force_cents", sa.BigInteger(), nullable=False),
        *(sa.Column(one, sa.Integer(), nullable=False) for one in counts),
        sa.Column("told", postgresql.JSONB(), nullable=False),
        sa.ForeignKeyConstraint(
            ["simulation_id"],
            [f"{JOBS}.id"],
            name=op.f(f"fk_{FOUND}_simulation_id_{JOBS}"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("simulation_id", "place", name=op.f(f"pk_{FOUND}")),
    )
