"""Responses that browsers save as files."""


def saved_as(name: str) -> dict[str, str]:
    """Return the header that saves a response under an ASCII file name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}
