"""Whether business time goes on."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, ok, warn


def check_clock(installation: Installation) -> Iterator[Finding]:
    """Warn where TRACKER_NOW makes business time stand still."""
    fixed = installation.settings.now
    if fixed is None:
        yield ok("clock", "business time is the system's")
    else:
        yield warn(
            "clock",
            f"TRACKER_NOW fixes business time at {fixed.isoformat()}",
            "Unset it unless this is a demo, a test or a recomputation.",
        )
