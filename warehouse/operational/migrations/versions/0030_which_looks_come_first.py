"""When a visit is due for what pays, and how old the oldest look at it is.

Of a plan that needs more requests than a day may have, those come first. The plan is worked out
anew by the next worker, as its statements are others.
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both instants to visits."""
    for name in ("pays_at", "oldest_at"):
        op.add_column("visits", sa.Column(name, sa.DateTime(timezone=True), nullable=True))
