"""`tracker serve`: the REST API alone."""

from typing import Annotated

import typer

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import CommandFailed, say
from orchestration.cli.ports import REACHED_AT, origin_of
from warehouse.publication.shared.nodes import is_node
from warehouse.settings import Settings

Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(help="TCP port to listen on.", min=1, max=65535)]
Workers = Annotated[
    int, typer.Option(help="Processes that serve; more than one needs TRACKER_REDIS_URL.", min=1)
]


def serve(host: Host = "127.0.0.1", port: Port = 8000, workers: Workers = 1) -> None:
    """Serve the REST API until Ctrl-C.

    Example: `tracker serve --port 8000`, and for other machines

    `TRACKER_BASE_URL=https://tracker.example tracker serve --host 0.0.0.0`

    Where nothing is built and TRACKER_LANDING_URL names a bucket, publications come from there.
    """
    # The command line starts quicker without these.
    from serving_api.process.serve import serve as serve_api  # noqa: PLC0415
    from serving_api.rate_limit.lease import WAY_OUT, AnotherServesError  # noqa: PLC0415

    settings = linked_to(settings_of_environment(), host, port)
    refuse_uncounted(settings, workers)
    refuse_incomplete_node(settings)
    with current_store(settings):
        try:
            serve_api(settings, host, port, workers=workers)
        except AnotherServesError as another:
            raise CommandFailed(f"{another}.", WAY_OUT) from another


def linked_to(settings: Settings, host: str, port: int) -> Settings:
    """Return settings whose links lead to where the API listens, if TRACKER_BASE_URL is not set.

    Links and host names cannot be told from an address that stands for all of a machine's.
    """
    if "base_url" in settings.model_fields_set:
        return settings
    if host in REACHED_AT:
        say(
            "Only localhost is answered, none of this machine's other names: set TRACKER_BASE_URL "
            "to the address that people use, such as https://tracker.example."
        )
    return settings.model_copy(update={"base_url": origin_of(host, port)})


def refuse_uncounted(settings: Settings, workers: int) -> None:
    """End the command where several processes would each count the requests of a minute."""
    if workers > 1 and settings.api_rate_limits and not settings.redis_url:
        raise CommandFailed(
            f"{workers} processes have no place to count the requests of a minute together.",
            "Set TRACKER_REDIS_URL, or serve from one process.",
        )


def refuse_incomplete_node(settings: Settings) -> None:
    """End the command on a machine that serves what others build, if it lacks a common setting.

    Each of them would else be this machine's alone: its own database, keys and counts.
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
            f"publications come from {settings.landing_url}, and all machines need the same "
            f"{', '.join(missing)}.",
            "Set what is missing; where publications are to be built, run `tracker init` and "
            "`tracker run` first.",
        )
