"""A program: a builder that is stopped before it publishes, then before it shares.

Its clock is ten minutes ahead. Prints what it waited for, and the end of each publication.
"""

import os
import signal
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TextIO

import duckdb

from tests.factories.marts import create_marts
from tests.qa.faults.programs import answers_apart
from tests.warehouse.publication.shared.world import Machine
from warehouse.operational.store import operational_store
from warehouse.publication.shared.sending import share_last
from warehouse.settings import Settings
from warehouse.shards.lease import LeaseLostError, lease

AHEAD = timedelta(minutes=10)


def main() -> None:
    say = partial(tell, answers_apart())  # a lost lease is also logged, at any time
    settings = Settings(_env_file=None)
    with (
        operational_store(settings) as store,
        duckdb.connect(Path(sys.argv[1]) / "warehouse.duckdb") as warehouse,
    ):
        create_marts(warehouse)
        for stops in (stopped_before_it_publishes, stopped_before_it_shares):
            with lease(settings, store, say) as held:
                try:
                    stops(Machine(settings, store, warehouse, held=held))
                except LeaseLostError as lost:
                    say(str(lost))
        settings.warehouse_path.touch()
        say("sent" if share_last(settings, store) else "nothing to send")


def stopped_before_it_publishes(machine: Machine) -> None:
    stop()
    machine.publish(AHEAD)


def stopped_before_it_shares(machine: Machine) -> None:
    made = machine.publish(AHEAD)
    stop()
    machine.share(made)


def stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def tell(answers: TextIO, line: str) -> None:
    answers.write(line + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
