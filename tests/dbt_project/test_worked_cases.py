"""The pack of worked cases matches the rules and the models."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import zone_offsets
from tests.dbt_project.stories import as_copied
from tests.worked_cases.__main__ import PACK, pack
from tests.worked_cases.accruals import CASES, as_json
from tests.worked_cases.drawing import AS_OF, ZONES
from tests.worked_cases.tables import CaseRows


def test_the_pack_matches_the_rules() -> None:
    """`python -m tests.worked_cases` writes it again after a case or a rule changed."""
    assert PACK.read_text(encoding="utf-8") == pack()


def test_the_models_match_the_pack(tmp_path: Path) -> None:
    cases = json.loads(PACK.read_text(encoding="utf-8"))["cases"]
    assert len(cases) == CASES
    harness = Harness(tmp_path)
    rows = [CaseRows(case) for case in cases]
    tables: dict[str, list[Any]] = defaultdict(list, zone_offsets=[*zone_offsets(ZONES)])
    for row in rows:
        for table, listed in row.tables.items():
            tables[table] += listed
    harness.ingest(video_snapshots=[reading for row in rows for reading in row.readings])
    harness.decide(**as_copied(tables))
    harness.build(harness.begin(as_of=AS_OF), "+payout_earnings")
    accruals_by_organization = defaultdict(list)
    for accrual in harness.rows("payout_earnings"):
        accruals_by_organization[accrual["organization_id"]].append(accrual)
    for case, row in zip(cases, rows, strict=True):
        assert as_json(accruals_by_organization[row.organization]) == case["accruals"], case["name"]
