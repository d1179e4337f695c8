"""`tracker serve`: the API, desk, share pages and MCP."""

from typing import Annotated

import typer

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import CommandFailed, say
from orchestration.cli.ports import REACHED_AT, origin_of, require_free
from warehouse.loading import loading
from warehouse.publication.shared.nodes import is_node
from warehouse.settings import Settings

Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(help="TCP port to listen on.", min=1, max=65535)]
Workers = Annotated[
    int, typer.Option(help="Server processes; more than one needs TRACKER_REDIS_URL.", min=1)
]


def serve(host: Host = "127.0.0.1", port: Port = 8000, workers: Workers = 1) -> None:
    """Serve the API, desk, share pages and MCP until Ctrl-C.

    If nothing is built here and TRACKER_LANDING_URL names a bucket, it serves the bucket's
    publications.

    Example: `tracker serve --port 8000`, and for other machines
    `TRACKER_BASE_URL=https://tracker.example tracker serve --host 0.0.0.0`
    """
    # The command line starts faster without these.
    with loading():
        from serving_api.process.serve import serve as serve_api  # noqa: PLC0415
        from serving_api.rate_limit.lease import WAY_OUT, AnotherServesError  # noqa: PLC0415

    settings = linked_to(settings_of_environment(), host, port)
    refuse_uncounted(settings, workers)
    refuse_incomplete_node(settings)
    require_free(host, port)
    with current_store(settings):
        try:
            serve_api(settings, host, port, workers=workers)
        except AnotherServesError as another:
            raise CommandFailed(f"{another}.", WAY_OUT) from another


def linked_to(settings: Settings, host: str, port: int) -> Settings:
    """Return settings whose base URL is the listening address, unless TRACKER_BASE_URL is set.

    A wildcard address gives no host name for links.
    """
    if "base_url" in settings.model_fields_set:
        return settings
    if host in REACHED_AT:
        say(
            "Only requests to localhost are answered. Set TRACKER_BASE_URL to the public address, "
            "such as https://tracker.example."
        )
    return settings.model_copy(update={"base_url": origin_of(host, port)})


def refuse_uncounted(settings: Settings, workers: int) -> None:
    """End the command if several processes would each count requests alone."""
    if workers > 1 and settings.api_rate_limits and not settings.redis_url:
        raise CommandFailed(
            f"{workers} processes cannot share rate limits without Redis.",
            "Set TRACKER_REDIS_URL, or serve from one process.",
        )


def refuse_incomplete_node(settings: Settings) -> None:
    """End the command on a node that lacks a setting that all machines share.

    Otherwise it would use its own database, keys and request counts.
    """
    if not is_node(settings):
        return
    given = {
        "TRACKER_DATABASE_URL": settings.database_url,
        "TRACKER_SECRET_KEY": settings.secret_key,
        "TRACKER_REDIS_URL": settings.redis_url or not settings.api_rate_limits,
    }
    if missing := [name for name, value in given.items() if not value]:
        raise CommandFailed(
            f"a node of {settings.landing_url} needs the same settings as the other machines: "
            f"{', '.join(missing)}.",
            "Set them. To build publications on this machine instead, run `tracker init` and "
            "`tracker run` first.",
        )
