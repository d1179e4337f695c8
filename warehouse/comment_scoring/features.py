"""Features of a linear text model: hashed words, word pairs, emoji and character n-grams.

Vectorized over many texts: every n-gram is hashed from one running sum. A text costs some
microseconds, and at most CAP characters of it are read.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from warehouse.comment_scoring.folding import EMOJI_VARIANTS, legible

CAP = 280
"""Characters read of a text: the length limit of a post on X."""

BITS = 19
"""Features fall into 2**BITS buckets."""

LETTERS = range(2, 6)
"""Lengths of character n-grams, including the spaces around words."""

ADDRESS = re.compile(r"https?:\S*|www\.\S+")
SOMEBODY = re.compile(r"@\s?\w+")
STRETCHED = re.compile(r"(\S)\1\1+")

Whole = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Floats = NDArray[np.float64]

TINY = 1e-9

SPACE, WORD, SYMBOL, UNSEEN = range(4)
KNOWN = 0x20000
"""Code points with a known kind. Higher ones are rare and mostly letters."""

BASE = 0x9E3779B97F4A7C15
"""An odd multiplier, so that its powers have inverses modulo 2**64."""

KIND_OF_CATEGORY = {"L": WORD, "M": WORD, "N": WORD, "P": SYMBOL, "S": SYMBOL, "C": UNSEEN}


def spelled(text: str) -> str:
    """Return the start of a text in lower case, with links and @names replaced by placeholders."""
    lower = ADDRESS.sub(" http ", legible(text, CAP)).lower()
    return " ".join(STRETCHED.sub(r"\1\1\1", SOMEBODY.sub(" @ ", lower)).split())


def features(texts: Sequence[str]) -> Iterator[tuple[Whole, Whole]]:
    """Yield (text indexes, buckets) for each kind of feature."""
    codes, owners = _codes(texts)
    kinds = _kinds()[np.minimum(codes, KNOWN)]
    seen = kinds != UNSEEN
    codes, owners, kinds = codes[seen], owners[seen], kinds[seen]
    sums = _running(codes)
    yield _words(kinds, owners, sums)
    yield _pairs(kinds, owners, sums)
    yield _letters(kinds, owners, sums)


def weighed(owners: Whole, rarity: Floats, count: int) -> Floats:
    """Return each feature's weight: its rarity, normalized so that a text's squares sum to one."""
    length = np.sqrt(np.bincount(owners, rarity * rarity, minlength=count))
    return rarity / np.maximum(length, TINY)[owners]


def _codes(texts: Sequence[str]) -> tuple[Whole, Whole]:
    """Return the code points of all texts, padded by spaces, and their text indexes."""
    padded = [f" {spelled(text)} " for text in texts]
    codes = np.frombuffer("".join(padded).encode("utf-32-le"), dtype=np.uint32)
    owners = np.repeat(np.arange(len(padded)), [len(text) for text in padded])
    return codes.astype(np.int64), owners


@cache
def _kinds() -> NDArray[np.uint8]:
    kinds = [
        UNSEEN if code in EMOJI_VARIANTS else _kind(unicodedata.category(chr(code)))
        for code in range(KNOWN)
    ]
    return np.array([*kinds, WORD], dtype=np.uint8)


def _kind(category: str) -> int:
    return SPACE if category[0] == "Z" else KIND_OF_CATEGORY[category[0]]


@cache
def _powers(count: int) -> tuple[Hashes, Hashes]:
    """Return the powers 0 to count of BASE and of its inverse."""
    powers = np.ones((2, count + 1), dtype=np.uint64)
    powers[0, 1:], powers[1, 1:] = BASE, pow(BASE, -1, 1 << 64)
    multiplied = np.multiply.accumulate(powers, axis=1)
    return multiplied[0], multiplied[1]


def _running(codes: Whole) -> Hashes:
    """Return prefix sums from which `_hashes` computes the hash of any run."""
    mixed = _mixed(codes.astype(np.uint64) + np.uint64(1))
    ups, _ = _powers(1 << len(codes).bit_length())
    sums = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(mixed * ups[: len(codes)], out=sums[1:])
    return sums


def _hashes(sums: Hashes, starts: Whole, ends: Whole) -> Hashes:
    _, downs = _powers(1 << (len(sums) - 1).bit_length())
    return _mixed((sums[ends] - sums[starts]) * downs[starts])


def _mixed(values: Hashes) -> Hashes:
    """Mix all 64 bits (the finalizer of MurmurHash3)."""
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return values ^ (values >> np.uint64(33))


def _buckets(hashes: Hashes, kind: int) -> Whole:
    salted = _mixed(hashes + np.uint64(kind))
    return (salted >> np.uint64(64 - BITS)).astype(np.int64)


def _tokens(kinds: NDArray[np.uint8]) -> tuple[Whole, Whole]:
    """Return the starts and ends of words and single symbols."""
    before = np.concatenate([[SPACE], kinds[:-1]])
    after = np.concatenate([kinds[1:], [SPACE]])
    symbol = kinds == SYMBOL
    word = kinds == WORD
    starts = np.flatnonzero(symbol | (word & (before != WORD)))
    ends = np.flatnonzero(symbol | (word & (after != WORD))) + 1
    return starts, ends


def _words(kinds: NDArray[np.uint8], owners: Whole, sums: Hashes) -> tuple[Whole, Whole]:
    starts, ends = _tokens(kinds)
    return owners[starts], _buckets(_hashes(sums, starts, ends), 1)


def _pairs(kinds: NDArray[np.uint8], owners: Whole, sums: Hashes) -> tuple[Whole, Whole]:
    starts, ends = _tokens(kinds)
    hashes, whose = _hashes(sums, starts, ends), owners[starts]
    pairs = hashes[:-1] * np.uint64(3) + hashes[1:]
    same = whose[:-1] == whose[1:]
    return whose[:-1][same], _buckets(pairs[same], 2)


def _letters(kinds: NDArray[np.uint8], owners: Whole, sums: Hashes) -> tuple[Whole, Whole]:
    """Return character n-grams within one text and without inner spaces."""
    spaces = np.concatenate([[0], np.cumsum(kinds == SPACE)])
    runs = []
    for length in LETTERS:
        starts = np.arange(max(0, len(kinds) - length + 1))
        ends = starts + length
        whole = (spaces[ends - 1] == spaces[starts + 1]) & (owners[starts] == owners[ends - 1])
        starts, ends = starts[whole], ends[whole]
        runs.append((owners[starts], _buckets(_hashes(sums, starts, ends), length + 1)))
    whose, buckets = zip(*runs, strict=True)
    return np.concatenate(whose), np.concatenate(buckets)
