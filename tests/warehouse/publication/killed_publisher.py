"""A program that publishes repeatedly, killed one file operation later each time.

Arguments: the data folder and the warehouse. Ends when a publication is current despite the kill;
prints how many publishers were killed. Until then the first publication's files must not change.
"""

import os
import signal
import sys
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import duckdb

from warehouse.publication import marts
from warehouse.publication.publish import publish
from warehouse.settings import Settings

JULY = datetime(2026, 7, 20, tzinfo=UTC)
OPERATIONS = {"os.mkdir", "os.link", "os.symlink", "os.rename", "os.remove", "os.rmdir", "open"}


def main() -> None:
    home, database = Path(sys.argv[1]), Path(sys.argv[2])
    link = Settings(home=home).publications_path / "current.duckdb"
    first = link.readlink()
    files = files_of(link)
    for operations in count():
        publisher = os.fork()
        if publisher == 0:
            publish_until_killed(home, database, operations)
            os._exit(0)
        _, status = os.waitpid(publisher, 0)
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            sys.exit("a publisher was not killed")
        if link.readlink() != first:
            sys.stdout.write(str(operations + 1))
            return
        if files_of(link) != files:
            sys.exit(f"the current publication changed before operation {operations}")


def files_of(link: Path) -> dict[Path, tuple[int, int]]:
    """Return the size and modification time of each file of the publication."""
    files = (path for path in link.resolve().parent.rglob("*") if path.is_file())
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in files}


def publish_until_killed(home: Path, database: Path, operations: int) -> None:
    with duckdb.connect(database, config={"threads": 1}) as connection:
        connection.execute("set TimeZone = 'UTC'")
        marts.LEAST_ROWS = 0
        kill_at_operation(operations, home)
        publish(Settings(home=home), connection, as_of=JULY)


def kill_at_operation(operations: int, folder: Path) -> None:
    """Kill this process before its n-th file operation in the folder."""
    done = count()

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if event not in OPERATIONS or str(folder) not in str(arguments[:2]):
            return
        if next(done) == operations:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


if __name__ == "__main__":
    main()
