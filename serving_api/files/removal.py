"""Removing files that no row references."""

import structlog
from sqlalchemy import event
from sqlalchemy.orm import Session

from warehouse.operational.session import WriteSession
from warehouse.storage.storage import Storage, StorageError

_log = structlog.get_logger(__name__)


def remove_once_committed(session: WriteSession, files: Storage, path: str) -> None:
    """Delete a file after the session commits.

    A failed deletion is logged and leaves an unreferenced file.
    """
    left = [path]

    def remove(_session: Session) -> None:
        if session.in_nested_transaction() or not left:  # the end of a savepoint is not a commit
            return
        left.clear()
        try:
            files.delete(path)
        except StorageError as error:
            _log.warning("a file was left", path=path, error=str(error))

    event.listen(session, "after_commit", remove)
