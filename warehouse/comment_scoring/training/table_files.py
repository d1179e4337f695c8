"""Tables of weights as files."""

from pathlib import Path

import numpy as np

from warehouse.comment_scoring.linear import Table


def save(table: Table, file: Path) -> None:
    """Write a table, the same bytes for the same table."""
    np.savez_compressed(
        file,
        weights=table.weights,
        scales=table.scales,
        start=table.start,
        rarity=table.rarity.astype(np.uint8),
        languages=np.array(sorted(table.languages)),
    )
