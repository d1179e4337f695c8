"""A publication's database as it is sent: DuckDB's blocks are padded, and zstd leaves a third.

Months are Parquet that zstd has packed already, and go as they are.
"""

import shutil
from pathlib import Path

_CHUNK = 1 << 20
"""Bytes in memory at once."""


def pack(file: Path, target: Path) -> None:
    """Write what a file holds, packed: the same bytes for the same file."""
    import pyarrow as pa  # noqa: PLC0415  `serve` needs it where it takes what was packed alone

    with file.open("rb") as plain, pa.CompressedOutputStream(str(target), "zstd") as packed:
        shutil.copyfileobj(plain, packed, _CHUNK)


def unpack(packed: Path, target: Path) -> None:
    """Write what was packed."""
    import pyarrow as pa  # noqa: PLC0415  likewise

    with pa.CompressedInputStream(str(packed), "zstd") as opened, target.open("wb") as plain:
        shutil.copyfileobj(opened, plain, _CHUNK)
