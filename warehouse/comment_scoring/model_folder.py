"""A folder with a model of one's own: what has to lie in it, and what `labels.json` says of it.

`model.onnx` and `tokenizer.json` are as exporters write them. `labels.json` is written by hand:
`{"name": "mine", "labels": ["negative", "neutral", "positive"], "languages": ["en", "es"]}`.
"""

from hashlib import file_digest
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from warehouse.comment_scoring.data import digest_of_bytes
from warehouse.comment_scoring.language import CANDIDATES, UNSURE, WORDLESS
from warehouse.comment_scoring.scorer import Label

MODEL, TOKENIZER, LABELS = "model.onnx", "tokenizer.json", "labels.json"
LANGUAGES = frozenset({*CANDIDATES, UNSURE, WORDLESS})
"""What a text's language may be called (`language`)."""


class UnusableModelError(Exception):
    """A model cannot be used; the message names the file and says what has to be done."""


class Labels(BaseModel):
    """What `labels.json` says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[\w.-]{1,60}$")]
    labels: Annotated[tuple[Label, ...], Field(min_length=2)]
    """What each class of the model means, in their order; several may mean the same."""

    languages: Annotated[frozenset[str], Field(min_length=1)]
    """Languages that the model reads well enough; texts in others are not scored."""


class ModelFolder:
    """The files of a folder. Raises UnusableModelError where they are not those of a model."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UnusableModelError(
                f"{folder} is no folder: have TRACKER_SENTIMENT_MODEL name one with {MODEL},"
                f" {TOKENIZER} and {LABELS}, or nothing"
            )
        self.model, self.tokenizer, labels = (
            _there(folder / name) for name in (MODEL, TOKENIZER, LABELS)
        )
        self.labels = _labels(labels)

    @property
    def version(self) -> str:
        """Eight digits that change with any of the files, weights kept beside the model too."""
        files = sorted(each for each in self.model.parent.iterdir() if each.is_file())
        return digest_of_bytes(*map(_digest, files))


def _digest(file: Path) -> bytes:
    """Return a file's SHA-256; weights are too large to be read at once."""
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").digest()


def _there(file: Path) -> Path:
    if not file.is_file():
        raise UnusableModelError(
            f"{file} is not there: a model is {MODEL} and {TOKENIZER}, as exported together, and"
            f" {LABELS}, which says what its classes mean"
        )
    return file


def _labels(file: Path) -> Labels:
    try:
        labels = Labels.model_validate_json(file.read_bytes())
    except ValidationError as error:
        [first, *_] = error.errors()
        where = ".".join(map(str, first["loc"])) or "the file"
        raise UnusableModelError(
            f"{file}: {where}: {first['msg']}; it needs name, labels (each positive, neutral or"
            " negative) and languages, and nothing else"
        ) from error
    if unknown := sorted(labels.languages - LANGUAGES):
        raise UnusableModelError(
            f"{file}: no text is ever told to be in {', '.join(unknown)}; languages are of"
            f" {', '.join(sorted(LANGUAGES))}"
        )
    return labels
