"""A folder with a custom model: its files and its `labels.json`.

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
"""Language codes that texts can have (`language`)."""


class UnusableModelError(Exception):
    """A model cannot be used. The message names the file and what to do."""


class Labels(BaseModel):
    """The content of `labels.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[\w.-]{1,60}$")]
    labels: Annotated[tuple[Label, ...], Field(min_length=2)]
    """The meaning of each class of the model, in order. Several classes may mean the same."""

    languages: Annotated[frozenset[str], Field(min_length=1)]
    """Languages that the model reads well enough. Texts in others are not scored."""


class ModelFolder:
    """The files of a model folder. Raises UnusableModelError if one is missing or invalid."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UnusableModelError(
                f"{folder} is not a folder: set TRACKER_SENTIMENT_MODEL to a folder with {MODEL},"
                f" {TOKENIZER} and {LABELS}, or unset it"
            )
        self.model, self.tokenizer, labels = (
            _there(folder / name) for name in (MODEL, TOKENIZER, LABELS)
        )
        self.labels = _labels(labels)

    @property
    def version(self) -> str:
        """Eight digits that change with any of the files, including weights beside the model."""
        files = sorted(each for each in self.model.parent.iterdir() if each.is_file())
        return digest_of_bytes(*map(_digest, files))


def _digest(file: Path) -> bytes:
    """Return a file's SHA-256 without reading it into memory; weights are too large for that."""
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").digest()


def _there(file: Path) -> Path:
    if not file.is_file():
        raise UnusableModelError(
            f"{file} is missing: a model needs {MODEL} and {TOKENIZER}, exported together, and"
            f" {LABELS} with the meaning of its classes"
        )
    return file


def _labels(file: Path) -> Labels:
    try:
        labels = Labels.model_validate_json(file.read_bytes())
    except ValidationError as error:
        [first, *_] = error.errors()
        where = ".".join(map(str, first["loc"])) or "the file"
        raise UnusableModelError(
            f"{file}: {where}: {first['msg']}; it must have name, labels (each positive, neutral"
            " or negative) and languages, and nothing else"
        ) from error
    if unknown := sorted(labels.languages - LANGUAGES):
        raise UnusableModelError(
            f"{file}: languages: unknown {', '.join(unknown)}; choose from"
            f" {', '.join(sorted(LANGUAGES))}"
        )
    return labels
