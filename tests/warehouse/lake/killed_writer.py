"""A program that writes the current publication to the lake and is killed before the commit.

Arguments: the data folder, PostgreSQL's URL.
"""

import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.fixtures.operational import settings_for
from warehouse.lake.shard_tables import Partition, ShardTables
from warehouse.lake.writing import bring
from warehouse.operational.store import operational_store

write = ShardTables.write


def write_and_die(tables: ShardTables, parts: Iterable[Partition]) -> int:
    write(tables, parts)
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def main() -> None:
    settings = settings_for(Path(sys.argv[1]), sys.argv[2]).model_copy(update={"lake_url": "."})
    ShardTables.write = write_and_die  # type: ignore[method-assign]
    with operational_store(settings) as store:
        bring(settings, store)


if __name__ == "__main__":
    main()
