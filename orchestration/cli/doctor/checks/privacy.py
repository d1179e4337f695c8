"""Whether anybody but the owner can read the data folder."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, ok, warn
from warehouse.privacy import opened_too_far

WAY_OUT = (
    "`tracker init` closes what is yours; of what is somebody else's, the owner has to say"
    " `chmod -R go= PATH`. Publications are opened to a group by TRACKER_READERS_GROUP."
)


def check_privacy(installation: Installation) -> Iterator[Finding]:
    """Find files of the installation that others can read, or readers cannot."""
    settings = installation.settings
    opened = list(opened_too_far(settings))
    if opened:
        more = f" and {len(opened) - 1:,} more" if len(opened) > 1 else ""
        wrong = f"{opened[0].path}{more} can be read by others than it should"
        yield warn("privacy", wrong, WAY_OUT)
    elif settings.readers_group:
        yield ok("privacy", f"publications can be read by the group {settings.readers_group}")
    else:
        yield ok("privacy", "only its owner can read the data folder")
