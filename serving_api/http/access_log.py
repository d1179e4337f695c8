"""One line in the log for each request: what was asked by whom, how it was answered, how fast.

No query, body or header, and of the path only ids: the rest may be private, or even a token.
"""

import structlog
from starlette.types import Scope

from serving_api.http.log_fields import told_of

_log = structlog.get_logger(__name__)


def log_request(scope: Scope, status: int, seconds: float) -> None:
    """Note a request that was answered."""
    _log.info("request", status=status, ms=round(seconds * 1000, 1), **told_of(scope))
