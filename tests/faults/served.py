"""A program: reads the current publication without a pause worth naming, until its input closes.

Argument: the publications' folder. A publication fits itself (its marts agree, its business time is
its run's) and none is older than the one before. Prints how many reads there were, and of how many
publications; ends with a traceback at the first failure.
"""

import json
import select
import sys
from datetime import UTC, datetime
from pathlib import Path

from warehouse.publication.current import CurrentPublication

SECONDS_BETWEEN = 0.02

AGREES = """
    select
        (select as_of from marts.publication),
        (select as_of from marts.run),
        (select coalesce(sum(view_delta), 0)::bigint from marts.video_deltas),
        (select coalesce(sum(view_count), 0)::bigint from marts.videos),
        (select coalesce(sum(new_views), 0)::bigint from marts.video_daily),
"""


def main(publications: str) -> None:
    current = CurrentPublication(Path(publications))
    reads, seen, newest = 0, set(), datetime(2000, 1, 1, tzinfo=UTC)
    while not select.select([sys.stdin], [], [], SECONDS_BETWEEN)[0]:
        with current.cursor() as cursor:
            published, run, deltas, latest, days = cursor.execute(AGREES).fetchall()[0]
        if not (deltas == latest == days and newest <= published == run):
            sys.exit(f"{newest=} {published=} {run=} {deltas=} {latest=} {days=}")
        newest = published
        seen.add(published)
        reads += 1
    sys.stdout.write(json.dumps({"reads": reads, "publications": len(seen)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
