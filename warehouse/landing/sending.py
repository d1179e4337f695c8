"""Batches that lie on this machine and belong into a bucket, one sender each.

A batch that two processes sent would be whole anew after its registration had taken it away, and
some of its objects gone.
"""

from collections.abc import Iterator

from warehouse.landing import folders
from warehouse.landing.batches import Batch
from warehouse.landing.in_folder import FolderLanding


def each_to_send(here: FolderLanding) -> Iterator[Batch]:
    """Yield the batches that nobody else sends, oldest first; each goes once it was sent."""
    for batch in here.incoming():
        with folders.taken(batch.path) as is_ours:
            if is_ours:
                yield batch
                here.drop(batch)
