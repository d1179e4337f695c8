"""`tracker rescore` scores older comments; `tracker evaluate-comments` measures the scorer.

The scorer, numpy, polars and DuckDB are not loaded for --help.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json, say
from orchestration.cli.run import AsJson
from warehouse.settings import Settings

if TYPE_CHECKING:
    from warehouse.comment_scoring.evaluation import Confusion
    from warehouse.comment_scoring.scorer import SentimentModel


def rescore(as_json: AsJson = False) -> None:
    """Score all comments that another scorer version scored, and look up current terms in them.

    Run it after an upgrade, and after TRACKER_SENTIMENT_MODEL was set or fixed: new comments
    always get the current scorer, older ones keep their score until this command. Changed brand
    and competitor terms need no command: the next run looks them up. The next run publishes the
    new scores. Safe to interrupt and repeat. Waits while another run writes the warehouse.

    Example: `tracker rescore`, then `tracker run --no-scrape`
    """
    from warehouse.comment_scoring.step import score_comments  # noqa: PLC0415
    from warehouse.connection import open_warehouse  # noqa: PLC0415
    from warehouse.raw.operational_copy import copy_operational  # noqa: PLC0415
    from warehouse.shards.members import members_now  # noqa: PLC0415

    settings = settings_of_environment()
    model = _required_model(settings)
    with (
        current_store(settings) as store,
        open_warehouse(settings, on_wait=lambda message: say(f"tracker: {message}")) as connection,
    ):
        copy_operational(store, connection, members_now(store, settings))
        scored = score_comments(connection, model, rescores=True)
    if as_json:
        print_json({"texts": scored.texts, "mentions": scored.mentions})
        return
    OUT.print(f"scored      {scored.texts:,} texts")
    OUT.print(f"terms       looked up in {scored.mentions:,} texts")


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
    from warehouse.comment_scoring.evaluation import (  # noqa: PLC0415
        UnreadableLabelsError,
        evaluated,
        labelled_texts,
    )

    model = _required_model(settings_of_environment())
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


def _required_model(settings: Settings) -> "SentimentModel":
    """Return the chosen model. Raises CommandFailed if it cannot be used."""
    from warehouse.comment_scoring.chosen import chosen_model  # noqa: PLC0415
    from warehouse.comment_scoring.model_folder import UnusableModelError  # noqa: PLC0415

    try:
        return chosen_model(settings.sentiment_model)
    except UnusableModelError as error:
        raise CommandFailed(f"{error}.", "Nothing was scored.") from error
