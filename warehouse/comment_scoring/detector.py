"""The language detector py3langid, vectorized over many texts.

It runs an automaton over a text's bytes, counts recognized features and adds up their weights for
each language. Text by text, most of the time would be spent in Python loops.
"""

from collections.abc import Collection, Iterator, Sequence
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray
from py3langid.langid import MODEL_FILE, LanguageIdentifier

AT_ONCE = 1_000
"""Texts processed at a time: some tens of megabytes at 150 characters each."""

REACH = 6
"""Bytes that determine the automaton's state: its longest path from the start to any state."""

Whole = NDArray[np.int64]
Floats = NDArray[np.float32]


class Detector:
    """py3langid's language and confidence for a text, among given languages."""

    def __init__(self, languages: Collection[str]) -> None:
        read = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
        read.set_languages(languages)
        self._languages = read.nb_classes
        self._weights = np.ascontiguousarray(read.nb_ptc, dtype=np.float32)
        self._start = read.nb_pc
        self._moves = np.asarray(read.tk_nextmove)
        self._rows = np.asarray(read.tk_row).astype(np.int64) << 8
        self._recognized = np.array(read.tk_output)

    def guesses(self, texts: Sequence[str]) -> Iterator[tuple[str, float]]:
        """Yield the language code of each text and its probability among the languages.

        Texts have letters, lower-cased by `lower`.
        """
        for first in range(0, len(texts), AT_ONCE):
            some = texts[first : first + AT_ONCE]
            shares = self._shares([normalize("NFC", text).encode() for text in some])
            best = shares.argmax(axis=1)
            for index, share in zip(best, shares.max(axis=1).tolist(), strict=True):
                yield self._languages[index], share

    def _shares(self, texts: Sequence[bytes]) -> Floats:
        lengths = np.array([len(text) for text in texts])
        leanings = self._leanings(texts, lengths) / np.sqrt(lengths, dtype=np.float32)[:, None]
        powers = np.exp(leanings - leanings.max(axis=1, keepdims=True))
        shares: Floats = powers / powers.sum(axis=1, keepdims=True)
        return shares

    def _leanings(self, texts: Sequence[bytes], lengths: Whole) -> Floats:
        """Return the score of each language, zeros for texts without a recognized feature."""
        language_indexes = self._recognized[self._states(b"".join(texts), lengths)]
        seen = language_indexes >= 0
        owners = np.repeat(np.arange(len(texts)), lengths)[seen]
        kinds = len(self._weights)
        keys, counts = np.unique(owners * kinds + language_indexes[seen], return_counts=True)
        whose, which = np.divmod(keys, kinds)
        parts = np.log1p(counts.astype(np.float32))[:, None] * self._weights[which]
        firsts = np.flatnonzero(np.diff(whose, prepend=-1))
        leanings = np.zeros((len(texts), len(self._languages)), dtype=np.float32)
        if len(firsts):
            leanings[whose[firsts]] = np.add.reduceat(parts, firsts) + self._start
        return leanings

    def _states(self, text: bytes, lengths: Whole) -> Whole:
        """Return the automaton's state after each byte, computed from REACH steps back."""
        letters = np.frombuffer(text, dtype=np.uint8)
        positions = np.arange(len(letters))
        since = positions - np.repeat(np.cumsum(lengths) - lengths, lengths)
        states = np.zeros(len(letters), dtype=np.int64)
        for back in reversed(range(REACH)):
            own = since >= back
            moved = self._moves[self._rows[states[own]] + letters[positions[own] - back]]
            states[own] = moved
        return states
