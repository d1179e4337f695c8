"""What a run did not touch is published unseen, and each publication holds what the marts do."""

from datetime import timedelta
from pathlib import Path

import duckdb

from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import Step
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.test_payouts import as_copied
from warehouse.control import touched
from warehouse.publication.current import CurrentPublication
from warehouse.publication.publish import publish
from warehouse.settings import Settings

LATER = timedelta(days=31)
"""Published a month later, the history's first month is no longer native."""


def publish_marts(harness: Harness, step: Step) -> None:
    """Publish, and hold the publication to the marts."""
    settings = Settings(home=harness.folder)
    with harness.connect() as warehouse:
        publish(settings, warehouse, as_of=step.as_of + LATER)
        with CurrentPublication(settings.publications_path).cursor() as cursor:
            for mart in (*touched.FIRST_DAY, "payout_accruals"):
                every_row = f"from marts.{mart} order by all"
                assert (
                    cursor.execute(every_row).fetchall() == warehouse.execute(every_row).fetchall()
                )


def left_alone(harness: Harness) -> list[str]:
    """The facts of which the present marts leave something as it was published."""
    with harness.connect() as warehouse:
        [(run_id,)] = warehouse.execute("select run_id from control.published").fetchall()
        return [
            fact
            for fact in touched.FIRST_DAY
            if touched.touched_from(warehouse, fact, run_id).isoformat() > "2026-04-01"
        ]


class PunctualHistory(PayoutHistory):
    """Few facts come late, so that runs leave something as it was."""

    STRAYS = 0.02


def test_every_publication_holds_what_the_marts_do(tmp_path: Path) -> None:
    """One run dies before it is published, one after that but before it is noted."""
    harness = Harness(tmp_path)
    untouched = []
    for number, step in enumerate(PunctualHistory(11, organizations=2, runs=6).steps()):
        for batch in step.batches:
            harness.ingest(**batch)
        harness.decide(**as_copied(step.operational))
        run = harness.begin(as_of=step.as_of)
        harness.build(run)
        if number:
            untouched += left_alone(harness)
        if number != 2:
            publish_marts(harness, step)
        if number not in {2, 4}:
            harness.advance(run)
    assert untouched, "every run touched everything"


def test_without_runs_anything_may_have_changed() -> None:
    with duckdb.connect() as warehouse:
        assert touched.touched_from(warehouse, "video_deltas", None).year == 1
