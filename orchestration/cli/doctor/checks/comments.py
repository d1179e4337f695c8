"""Checks the sentiment model that the settings name."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, bad, ok


def check_sentiment_model(installation: Installation) -> Iterator[Finding]:
    """Report a custom model that cannot be loaded and used."""
    # Without a custom model, numpy and the scorer are not loaded.
    from warehouse.comment_scoring.chosen import chosen_model  # noqa: PLC0415
    from warehouse.comment_scoring.model_folder import UnusableModelError  # noqa: PLC0415

    folder = installation.settings.sentiment_model
    if folder is None:
        return
    try:
        yield ok("sentiment", f"comments are scored by {chosen_model(folder).name}")
    except UnusableModelError as error:
        left = "Comments have no sentiment until you fix it and run `tracker rescore`."
        yield bad("sentiment", str(error), left)
