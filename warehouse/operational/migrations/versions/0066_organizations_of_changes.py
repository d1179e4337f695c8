"""No change. It added the organizations of changes, which no release had: see 0067."""

revision = "0066"
down_revision = "0065"


def upgrade() -> None:
    """Change nothing."""
