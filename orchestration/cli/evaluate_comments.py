"""`tracker evaluate-comments`: measures the sentiment scorer against labelled texts."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from orchestration.cli.opening import settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json
from orchestration.cli.run import AsJson
from orchestration.cli.sentiment import required_model

if TYPE_CHECKING:
    from warehouse.comment_scoring.evaluation import Confusion


def evaluate_comments(
    file: Annotated[Path, typer.Argument(help="CSV (UTF-8, with a header) or Parquet.")],
    as_json: AsJson = False,
) -> None:
    """Compare the scorer's sentiment with labelled texts, by language.

    Columns: `text`, `sentiment` (positive, neutral or negative), and optionally `language` (a code
    such as en), which is detected if missing. It prints the share of texts that got a score,
    macro-recall (the mean share of each class recognized among scored texts; guessing gives 1/3)
    and the confusion matrix. It stores nothing, and needs neither database nor warehouse.
    TRACKER_SENTIMENT_MODEL names the model.

    Example: `tracker evaluate-comments labelled.csv --json`
    """
    # polars, numpy and the scorer are not loaded for --help.
    from warehouse.comment_scoring.evaluation import evaluated  # noqa: PLC0415
    from warehouse.comment_scoring.labelled_files import UnreadableLabelsError, labelled_texts  # noqa: PLC0415

    model = required_model(settings_of_environment())
    try:
        confusions = evaluated(model, labelled_texts(file))
    except UnreadableLabelsError as error:
        raise CommandFailed(f"{error}.", "Nothing was evaluated.") from error
    if as_json:
        print_json(
            {
                "sentiment_model": model.name,
                "languages": [_as_json(confusion) for confusion in confusions],
            }
        )
    else:
        OUT.print(f"model       {model.name}", soft_wrap=True)
        OUT.print(_table(confusions))


def _as_json(confusion: "Confusion") -> dict[str, Any]:
    return {
        "language": confusion.language,
        "texts": confusion.texts,
        "scored_share": round(confusion.scored_share, 4),
        "macro_recall": None
        if confusion.macro_recall is None
        else round(confusion.macro_recall, 4),
        "confusion": {
            label: {answer or "unscored": count for answer, count in answers}
            for label, answers in confusion.rows()
        },
    }


def _table(confusions: "list[Confusion]") -> Table:
    """Return a row for each language and true class, with the counts of each predicted class."""
    table = Table("language", "texts", "scored", "macro-recall", "labelled", box=None)
    for answer in ("positive", "neutral", "negative", "unscored"):
        table.add_column(answer, justify="right")
    for confusion in confusions:
        recall = "-" if confusion.macro_recall is None else f"{confusion.macro_recall:.3f}"
        heading = (
            confusion.language,
            f"{confusion.texts:,}",
            f"{confusion.scored_share:.1%}",
            recall,
        )
        for label, answers in confusion.rows():
            table.add_row(*heading, label, *(f"{count:,}" for _, count in answers))
            heading = ("", "", "", "")
    return table
