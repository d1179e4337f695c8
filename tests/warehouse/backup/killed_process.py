"""A backup or restore in a process of its own, which kills itself at a named step.

Arguments: `module:function` and `before` or `after` (its first call), `backup` or `restore`, the
backup's folder, the data folder and the URL of PostgreSQL.
"""

import sys
from pathlib import Path

from tests.fixtures.operational import settings_for
from tests.warehouse.raw.killed_worker import die_at
from warehouse.backup.restore import restore_backup
from warehouse.backup.take import take_backup
from warehouse.operational.store import operational_store


def main(step: str, when: str, what: str, folder: str, *address: str) -> None:
    home, database_url = address
    settings = settings_for(Path(home), database_url)
    die_at(step, when)
    if what == "restore":
        restore_backup(settings, Path(folder), force=True)
        return
    with operational_store(settings) as store:
        take_backup(settings, store, Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
