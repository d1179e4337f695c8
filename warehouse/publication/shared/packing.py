"""Compresses a publication's database for the bucket: zstd leaves a third of its padded blocks.

Months are Parquet, already compressed by zstd, and are sent as they are.
"""

import shutil
from pathlib import Path

_CHUNK = 1 << 20
"""Bytes in memory at a time."""


def pack(file: Path, target: Path) -> None:
    """Compress a file. The same file gives the same bytes."""
    import pyarrow as pa  # noqa: PLC0415  `serve` needs it where it takes what was packed alone

    with file.open("rb") as plain, pa.CompressedOutputStream(str(target), "zstd") as packed:
        shutil.copyfileobj(plain, packed, _CHUNK)


def unpack(packed: Path, target: Path) -> None:
    import pyarrow as pa  # noqa: PLC0415  likewise

    with pa.CompressedInputStream(str(packed), "zstd") as opened, target.open("wb") as plain:
        shutil.copyfileobj(opened, plain, _CHUNK)
