"""No change. It added versions of organizations, which no release had: see 0067."""

revision = "0060"
down_revision = "0059"


def upgrade() -> None:
    """Change nothing."""
