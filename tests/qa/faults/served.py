"""A program that reads the current publication continuously until the last one.

Its input is closed after a business time: every organization is read until that is served. With a
bucket it is a node, which follows shared publications and never sees half of one. Arguments:
organizations that are served from the first read on, each from its shard's publication; without
any, it reads that of `main`. A publication is consistent (its marts agree, its business time is its
run's), has the organization's posts, and is never older than the one before. Prints the numbers of
reads and publications; ends with a traceback at the first failure.
"""

import json
import select
import sys
from datetime import UTC, datetime
from itertools import cycle
from uuid import UUID

from tests.qa.faults.programs import answers_apart
from warehouse.publication.shared.following import following
from warehouse.publication.shared.nodes import read_not_fetched
from warehouse.settings import Settings
from warehouse.shards.publications import ShardPublications

SECONDS_BETWEEN = 0.1

AGREES = """
    select
        (select as_of from marts.publication),
        (select as_of from marts.run),
        (select coalesce(sum(view_delta), 0)::bigint from marts.video_deltas),
        (select coalesce(sum(view_count), 0)::bigint from marts.videos),
        (select coalesce(sum(new_views), 0)::bigint from marts.video_daily),
"""


POSTS = "select count(*) from marts.videos where organization_id = $organization"


def main(*organizations: str) -> None:
    answers, settings = answers_apart(), Settings(_env_file=None)
    publications = ShardPublications(settings)
    newest = dict.fromkeys(organizations or [None], datetime(2000, 1, 1, tzinfo=UTC))
    reads, seen, last = 0, set(), None
    with following(settings):
        for organization in cycle(list(newest)):
            if last is None and select.select([sys.stdin], [], [], SECONDS_BETWEEN)[0]:
                last = datetime.fromisoformat(sys.stdin.read())
            if last is not None and min(newest.values()) >= last:
                break
            newest[organization] = fetch(publications, organization, newest[organization])
            if errors := read_not_fetched(settings):
                sys.exit(f"not fetched: {errors}")
            seen.add((organization, newest[organization]))
            reads += 1
    answers.write(json.dumps({"reads": reads, "publications": len(seen)}))
    answers.flush()


def fetch(publications: ShardPublications, organization: str | None, newest: datetime) -> datetime:
    """Read the publication that serves an organization; return its business time."""
    published: datetime
    of = UUID(organization) if organization else None
    with publications.lease(of) as opened, opened.cursor() as cursor:
        published, run, deltas, latest, days = cursor.execute(AGREES).fetchall()[0]
        posts = cursor.execute(POSTS, {"organization": of}).fetchall()[0][0] if of else None
    if not (deltas == latest == days and newest <= published == run) or posts == 0:
        instants = f"{newest=} {published=} {run=} {deltas=} {latest=} {days=} {posts=}"
        sys.exit(f"{organization}: {instants}")
    return published


if __name__ == "__main__":
    main(*sys.argv[1:])
