"""URLs of reports."""

from uuid import UUID

PATH = "/share/report"


def report_path(report_id: UUID) -> str:
    return f"{PATH}/{report_id}"
