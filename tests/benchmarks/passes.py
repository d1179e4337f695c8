"""A small build with its tests, as a pass does it and as dbt does when asked plainly.

What a pass costs apart from its readings: everybody pays it at every pass, however little is new.
"""

from pathlib import Path
from statistics import median
from time import process_time

from orchestration.lib.dbt import sparing_what_stays
from orchestration.lib.dbt_command import UNBUILT
from tests.dbt_project.harness import Harness, dbt
from tests.dbt_project.histories import History
from warehouse.control import Run

ROUNDS = 5


def seconds_of_builds(folder: Path) -> tuple[float, float]:
    """Return the processor time of a pass's build and of dbt's, medians of builds in turns."""
    folder.mkdir()
    harness = Harness(folder)
    for step in History(5, organizations=10, runs=2).steps():
        for batch in step.batches:
            harness.ingest(**batch)
        harness.decide(**step.operational)
        run = harness.run(as_of=step.as_of)
    begun = harness.begin(as_of=run.as_of)
    rounds = [(_seconds(harness, begun), _seconds(harness, None)) for _ in range(ROUNDS)]
    ours, theirs = zip(*rounds, strict=True)
    return median(ours), median(theirs)


def _seconds(harness: Harness, run: Run | None) -> float:
    began = process_time()
    with sparing_what_stays():
        dbt("build", *UNBUILT, path=harness.path, state=harness.folder, run=run)
    return process_time() - began
