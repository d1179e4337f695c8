"""Where reports are."""

from uuid import UUID

PATH = "/share/report"


def report_path(report_id: UUID) -> str:
    """Return where a report is."""
    return f"{PATH}/{report_id}"
