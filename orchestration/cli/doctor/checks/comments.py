"""Whether comments can be scored by the model that the settings name."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, bad, ok


def check_sentiment_model(installation: Installation) -> Iterator[Finding]:
    """Find a model of one's own that cannot be used; it is loaded and asked for this."""
    # numpy and the scorer: not for those who have no such model.
    from warehouse.comment_scoring.chosen import chosen_model  # noqa: PLC0415
    from warehouse.comment_scoring.model_folder import UnusableModelError  # noqa: PLC0415

    folder = installation.settings.sentiment_model
    if folder is None:
        return
    try:
        yield ok("sentiment", f"comments are scored by {chosen_model(folder).name}")
    except UnusableModelError as error:
        left = "Comments stay without sentiment until it is mended and `tracker rescore` was run."
        yield bad("sentiment", str(error), left)
