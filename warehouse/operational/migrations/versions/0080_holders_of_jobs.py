"""Was a note of the holder of each lease, which no release had; 0081 removes it."""

revision = "0080"
down_revision = "0079"


def upgrade() -> None:
    pass
