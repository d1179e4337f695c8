"""`tracker rescore`: scores older comments with the current scorer."""

from dataclasses import asdict

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, print_json, say
from orchestration.cli.run import AsJson
from orchestration.cli.sentiment import required_model


def rescore(as_json: AsJson = False) -> None:
    """Score all comments that another scorer version scored, and look up current terms in them.

    Run it after an upgrade, and after TRACKER_SENTIMENT_MODEL was set or fixed: new comments
    always get the current scorer, older ones keep their score until this command. Changed brand
    and competitor terms need no command: the next run looks them up. The next run publishes the
    new scores. Safe to interrupt and repeat. Waits while another run writes the warehouse.

    Example: `tracker rescore`, then `tracker run --no-scrape`
    """
    # DuckDB and the scorer are not loaded for --help.
    from warehouse.comment_scoring.step import score_comments  # noqa: PLC0415
    from warehouse.connection import open_warehouse  # noqa: PLC0415
    from warehouse.raw.operational_copy import copy_operational  # noqa: PLC0415
    from warehouse.shards.members import members_now  # noqa: PLC0415

    settings = settings_of_environment()
    model = required_model(settings)
    with (
        current_store(settings) as store,
        open_warehouse(settings, on_wait=lambda message: say(f"tracker: {message}")) as connection,
    ):
        copy_operational(store, connection, members_now(store, settings))
        scored = score_comments(connection, model, anew=True)
    if as_json:
        print_json(asdict(scored))
        return
    OUT.print(f"scored      {scored.texts:,} texts")
    OUT.print(f"terms       looked up in {scored.mentions:,} texts")
