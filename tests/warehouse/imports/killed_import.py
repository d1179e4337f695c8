"""An import in a process of its own, to be killed.

Arguments: the data folder, the project, the file, then optionally `module:function` and `before`
or `after`: the process kills itself there, at the first call.
"""

import sys
from pathlib import Path
from uuid import UUID

from orchestration.scraping.spelling import PlatformSpelling
from tests.warehouse.raw.killed_worker import die_at
from warehouse.imports.layouts import VIDEO_SNAPSHOTS
from warehouse.imports.snapshots import import_snapshots
from warehouse.operational.store import operational_store
from warehouse.settings import Settings


def main(home: str, project: str, file: str, *step: str) -> None:
    settings = Settings(home=Path(home))
    if step:
        die_at(*step)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    with operational_store(settings) as store:
        import_snapshots(
            store,
            settings,
            Path(file),
            kind=VIDEO_SNAPSHOTS,
            project_id=UUID(project),
            spelling=PlatformSpelling(),
            skip_bad=False,
            on_rows=lambda _rows: None,
            on_wait=lambda _message: None,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
