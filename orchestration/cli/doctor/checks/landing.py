"""Whether batches move on through the landing zone, and which were set aside."""

import time
from collections.abc import Iterator
from pathlib import Path

from orchestration.cli.doctor.finding import Finding, Installation, Level, ok, warn
from warehouse.backup.files import whole_entries

HOUR = 3600
SLOW_HOURS = 3
STUCK_HOURS = 26
"""Scrapes ask for a rollup when they land, and there is one a day: longer, and something failed."""

STAGES = {
    "incoming": "batches waiting for registration",
    "registered": "batches waiting for ingestion",
}


def check_landing(installation: Installation) -> Iterator[Finding]:
    """Find batches that have waited for long, by the real clock."""
    for stage, state in STAGES.items():
        ages = [_age_hours(path) for path in _folders(installation, stage)]
        oldest = max(ages, default=0.0)
        level: Level = "ok"
        if oldest >= SLOW_HOURS:
            level = "bad" if oldest >= STUCK_HOURS else "warn"
        since = f", the oldest since {oldest:.1f} h" if ages else ""
        way_out = "Run `tracker run --no-scrape` and see where it ends."
        yield Finding(
            "landing",
            level,
            f"{state}: {len(ages)}{since}",
            None if level == "ok" else way_out,
        )


def check_rejected(installation: Installation) -> Iterator[Finding]:
    """Find batches that were set aside as damaged, with the newest one's reason."""
    rejected = _folders(installation, "rejected")
    if not rejected:
        yield ok("landing", "damaged batches set aside: none")
        return
    newest = min(rejected, key=_age_hours)
    yield warn(
        "landing",
        f"damaged batches set aside: {len(rejected)}, the newest for: {_reason(newest)}",
        f"Their readings count nowhere: read reason.txt in {newest.parent}, then mend or remove.",
    )


def _folders(installation: Installation, stage: str) -> list[Path]:
    folder = installation.settings.landing_path / stage
    return [path for path in whole_entries(folder) if path.is_dir()]


def _age_hours(path: Path) -> float:
    try:
        return (time.time() - path.stat().st_mtime) / HOUR
    except FileNotFoundError:  # it moved on while we looked
        return 0.0


def _reason(rejected: Path) -> str:
    file = rejected / "reason.txt"
    text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else "no reason"
    return text.strip()[:200]
