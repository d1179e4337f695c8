"""PostgreSQL enforces what data tests assert of operational tables.

Otherwise a write that the API accepts could stop every later run.
"""

from pathlib import Path

import pytest
from sqlalchemy import Inspector, inspect, text

from orchestration.building.manifests import manifest_json
from tests.dbt_project.claims import Claim, claims, is_enforced
from tests.fixtures.operational import FreshDatabase, settings_for
from warehouse.catalogue.operational import ZONE_OFFSETS
from warehouse.operational.store import OperationalStore, operational_store

NOT_POSTGRESQLS = {ZONE_OFFSETS.name: "made of the IANA database: nobody decides it"}
ACCOUNTS = "account_deactivations"


@pytest.fixture
def catalog(store: OperationalStore) -> Inspector:
    return inspect(store.engine)


@pytest.mark.slow
def test_postgresql_enforces_what_data_tests_assert(catalog: Inspector) -> None:
    asserted = list(claims(manifest_json()))
    decided = [claim for claim in asserted if claim.table not in NOT_POSTGRESQLS]
    assert [claim for claim in decided if not is_enforced(claim, catalog)] == []
    assert NOT_POSTGRESQLS.keys() < {claim.table for claim in asserted}


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        (Claim("one_row_for_each", ACCOUNTS, ("account_id", "deactivated_at")), True),
        (Claim("one_row_for_each", ACCOUNTS, ("account_id",)), False),
        (Claim("unique", "accounts", ("id",)), True),
        (Claim("unique", "accounts", ("handle",)), False),
        (Claim("not_null", ACCOUNTS, ("deactivated_at",)), True),
        (Claim("not_null", ACCOUNTS, ("reactivated_at",)), False),
        (
            Claim(
                "accepted_values",
                "accounts",
                ("platform",),
                values=frozenset({"tiktok", "instagram", "youtube"}),
            ),
            True,
        ),
        (
            Claim("accepted_values", "accounts", ("platform",), values=frozenset({"tiktok"})),
            False,
        ),
        (
            Claim("relationships", ACCOUNTS, ("account_id",), refers_to=("accounts", "id")),
            True,
        ),
        (Claim("relationships", "goal_states", ("goal_id",), refers_to=("goals", "id")), False),
    ],
    ids=str,
)
def test_unenforced_claims_are_detected(catalog: Inspector, claim: Claim, holds: bool) -> None:
    assert is_enforced(claim, catalog) is holds


def test_a_dropped_constraint_is_detected(databases: FreshDatabase, tmp_path: Path) -> None:
    claim = Claim("one_row_for_each", ACCOUNTS, ("account_id", "deactivated_at"))
    with databases() as url, operational_store(settings_for(tmp_path, url)) as damaged:
        with damaged.engine.begin() as connection:
            name = "uq_account_deactivations_account_id_deactivated_at"
            connection.execute(text(f"alter table {ACCOUNTS} drop constraint {name}"))
        assert not is_enforced(claim, inspect(damaged.engine))
