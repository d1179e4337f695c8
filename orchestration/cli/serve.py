"""`tracker serve`: the REST API alone."""

from typing import Annotated

import typer

from orchestration.cli.opening import current_store, settings_of_environment

Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(help="TCP port to listen on.", min=1, max=65535)]


def serve(host: Host = "127.0.0.1", port: Port = 8000) -> None:
    """Serve the REST API until Ctrl-C.

    Example: `tracker serve --host 0.0.0.0 --port 8000`
    """
    from serving_api.serve import serve as serve_api  # noqa: PLC0415  starts quicker without it

    settings = settings_of_environment()
    with current_store(settings):
        serve_api(settings, host, port)
