"""`python -m tests.worked_cases`: write docs/statements/cases.json."""

import json
from pathlib import Path

from tests.worked_cases.accruals import worked_cases

PACK = Path(__file__).parents[2] / "docs" / "statements" / "cases.json"


def pack() -> str:
    """Return the file's text, one case a line, so that a diff shows the changed cases."""
    lines = (json.dumps(case) for case in worked_cases())
    return '{"format": "payout-cases/1", "cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    PACK.write_text(pack(), encoding="utf-8")
