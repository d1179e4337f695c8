"""A custom model: an ONNX classifier and its tokenizer, in a folder (`model_folder`).

Loading checks it with two texts, an ordinary one and one of the maximal length. A comment on which
it fails later stays unscored.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import thread_time
from typing import Any

import numpy as np
import structlog
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Encoding, Tokenizer

from warehouse.comment_scoring.data import HERE, digest
from warehouse.comment_scoring.folding import legible
from warehouse.comment_scoring.language import DECIDES as DETECTION
from warehouse.comment_scoring.language import languages_of
from warehouse.comment_scoring.linear import CLASSES
from warehouse.comment_scoring.model_folder import LABELS, ModelFolder, UnusableModelError
from warehouse.comment_scoring.scorer import Sentiment

CAP, MOST_TOKENS = 280, 64
"""Maximal characters and tokens read of a text, which bound the time per comment."""

ENCODED_AT_ONCE, RUN_AT_ONCE = 1_000, 32
"""Texts tokenized at a time, and texts passed to the model at a time."""

SECONDS = 0.1
"""Processor seconds allowed for MOST_TOKENS tokens: a thousand comments in two minutes."""

TRIES = 3
ANYTHING = "good"
LONGEST = "a " * (CAP // 2)

Shares = NDArray[np.float64]
log = structlog.get_logger(__name__)


class OnnxModel:
    """The classifier in `folder`. Raises UnusableModelError, which names the file.

    A batch has texts of one length, so that a score does not depend on its neighbours.
    """

    def __init__(self, folder: Path) -> None:
        files = ModelFolder(folder)
        self._file, labels = files.model, files.labels
        self._languages = labels.languages
        self._tokenizer = _tokenizer(files.tokenizer)
        self._session = _session(files.model)
        self._inputs = _inputs(self._session, files.model)
        self._means = np.array([[label == each for each in CLASSES] for label in labels.labels])
        self._require_use()
        ours = digest([*DETECTION, HERE / "onnx_model.py"])
        self.name = f"onnx-{labels.name}-{files.version}+{ours}"

    def score(self, texts: Sequence[str]) -> list[Sentiment]:
        """Score the start of each text in a language of the model."""
        languages = languages_of(texts)
        read = [index for index, language in enumerate(languages) if language in self._languages]
        shares_by_index = dict(
            zip(read, self._shares([texts[index] for index in read]), strict=True)
        )
        return [
            _sentiment(language, shares_by_index.get(index))
            for index, language in enumerate(languages)
        ]

    def _shares(self, texts: Sequence[str]) -> Iterator[Shares | None]:
        """Yield the probabilities of CLASSES for each text, or None where the model fails."""
        for first in range(0, len(texts), ENCODED_AT_ONCE):
            yield from self._some(texts[first : first + ENCODED_AT_ONCE])

    def _encoded(self, texts: Sequence[str]) -> list[Encoding]:
        return self._tokenizer.encode_batch([legible(text, CAP) for text in texts])

    def _encodings(self, texts: Sequence[str]) -> dict[int, Encoding]:
        """Return the encoded texts by index, without those on which the tokenizer fails."""
        with suppress(Exception):  # the library has no other
            return dict(enumerate(self._encoded(texts)))
        encoded, errors = dict[int, Encoding](), list[Exception]()
        for index, text in enumerate(texts):
            try:
                [encoded[index]] = self._encoded([text])
            except Exception as error:
                errors.append(error)
        if errors:
            self._warn(errors[0], len(errors))
        return encoded

    def _some(self, texts: Sequence[str]) -> list[Shares | None]:
        encoded = self._encodings(texts)
        shares_of: list[Shares | None] = [None] * len(texts)
        for batch in _of_one_length(encoded):
            try:
                answers = self._answers([encoded[index] for index in batch])
            except Exception as error:  # of any kind: the other comments are still scored
                self._warn(error, len(batch))
                continue
            for index, shares in zip(batch, _softmax(answers) @ self._means, strict=True):
                shares_of[index] = shares if np.isfinite(shares).all() else None
        return shares_of

    def _warn(self, error: Exception, texts: int) -> None:
        reason = _first_line(error)
        log.warning("comments_unscored", file=str(self._file), texts=texts, reason=reason)

    def _answers(self, encoded: Sequence[Encoding]) -> Shares:
        """Return the model's output for texts of one length, by class."""
        given = {
            name: np.array([getattr(each, tokens) for each in encoded], dtype=np.int64)
            for name, tokens in self._inputs.items()
        }
        [answers, *_] = self._session.run(None, given)
        return np.asarray(answers, dtype=np.float64)

    def _require_use(self) -> None:
        """Score a few texts. Raises UnusableModelError if output or time do not fit."""
        shape = self._score(ANYTHING).shape
        if shape != (1, len(self._means)):
            raise UnusableModelError(
                f"{self._file} returns {' x '.join(map(str, shape))} numbers for a text, but"
                f" {LABELS} has {len(self._means)} labels: list each class there in order"
            )
        if len(self._score(ANYTHING, ANYTHING)) != 2:  # noqa: PLR2004  texts
            raise UnusableModelError(
                f"{self._file} does not score two texts at once: export it with a dynamic batch"
            )
        seconds = min(self._seconds_of_longest() for _ in range(TRIES))
        if seconds > SECONDS:
            raise UnusableModelError(
                f"{self._file} takes {seconds:.2f} s of processor time for {MOST_TOKENS} tokens;"
                f" the limit is {SECONDS}: use a smaller or quantized model"
            )

    def _seconds_of_longest(self) -> float:
        began = thread_time()
        self._score(LONGEST)
        return thread_time() - began

    def _score(self, *texts: str) -> Shares:
        try:
            return self._answers(self._encoded(texts))
        except Exception as error:
            raise UnusableModelError(
                f"{self._file} fails on {len(texts)} x the text {texts[0][:20]!r}:"
                f" {_first_line(error)}; export it with its tokenizer and a dynamic batch"
            ) from error


def _tokenizer(file: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library has no other
        raise UnusableModelError(f"{file} is not a tokenizer: {_first_line(error)}") from error
    tokenizer.enable_truncation(MOST_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def _session(file: Path) -> InferenceSession:
    """Open a model on one thread, which makes its output repeatable, and with little memory."""
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4  # errors are raised
    try:
        return InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no base class of their own
        raise UnusableModelError(
            f"{file} cannot be loaded: {_first_line(error)}; export it again"
        ) from error


def _inputs(session: InferenceSession, file: Path) -> dict[str, str]:
    """Return the attribute of an encoded text for each input of the model."""
    known = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
    names = [each.name for each in session.get_inputs()]
    if unknown := sorted(set(names) - set(known)):
        raise UnusableModelError(
            f"{file} has the inputs {', '.join(unknown)}: export a text classifier, whose inputs"
            f" are among {', '.join(known)}"
        )
    return {name: known[name] for name in names}


def _of_one_length(encoded: Mapping[int, Encoding]) -> Iterator[list[int]]:
    """Yield indexes of texts with the same number of tokens, at most RUN_AT_ONCE each."""
    by_length: dict[int, list[int]] = defaultdict(list)
    for index, each in encoded.items():
        by_length[len(each)].append(index)
    for positions in by_length.values():
        for first in range(0, len(positions), RUN_AT_ONCE):
            yield positions[first : first + RUN_AT_ONCE]


def _softmax(answers: Shares) -> Shares:
    with np.errstate(invalid="ignore"):  # NaN stays NaN
        powers = np.exp(answers - answers.max(axis=1, keepdims=True))
    shares: Shares = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _sentiment(language: str, shares: Shares | None) -> Sentiment:
    if shares is None:
        return Sentiment(language, None, None)
    negative, _, positive = shares
    return Sentiment(language, CLASSES[int(shares.argmax())], round(float(positive - negative), 4))


def _first_line(error: Any) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
