"""The sentiment model for commands that cannot work without it."""

from typing import TYPE_CHECKING

from orchestration.cli.output import CommandFailed
from warehouse.settings import Settings

if TYPE_CHECKING:
    from warehouse.comment_scoring.scorer import SentimentModel


def required_model(settings: Settings) -> "SentimentModel":
    """Return the chosen model. Raises CommandFailed if it cannot be used."""
    # numpy and the scorer are not loaded for --help.
    from warehouse.comment_scoring.chosen import chosen_model  # noqa: PLC0415
    from warehouse.comment_scoring.model_folder import UnusableModelError  # noqa: PLC0415

    try:
        return chosen_model(settings.sentiment_model)
    except UnusableModelError as error:
        raise CommandFailed(f"{error}.", "Nothing was scored.") from error
