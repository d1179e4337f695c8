"""Answers that a browser saves instead of showing them."""


def saved_as(name: str) -> dict[str, str]:
    """Return the header that has a browser save the answer under a name of plain characters."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}
