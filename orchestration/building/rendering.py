"""Renders the models and data tests with dbt, into files for people, and all in one for builds.

It runs when a wheel is built (setup.py), and in a checkout when the project changed: in a process
of its own, so that a pipeline run does not load dbt. Imports only the standard library, because
setup.py runs it too.
"""

import errno
import fcntl
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any, TextIO

PROJECT = Path(__file__).resolve().parents[2] / "dbt_project"
RENDERED, UNDER_WAY = PROJECT / "rendered", "rendering-"
TRIES = 3
SOURCES = (
    "*.yml",
    "analyses/*.sql",
    "macros/**/*.sql",
    "models/**/*.sql",
    "models/**/*.yml",
    "tests/**/*.sql",
)
MODES: Mapping[str, tuple[str, ...]] = {"full": ("--full-refresh",), "incremental": ()}
"""Folders of RENDERED, with dbt's arguments: for a run that computes everything, or what is new."""
REPLACED = "analysis.creator_tracker.replaced_rows"
COLUMNS = ("name", "data_type", "description")
FACTS = (
    *("unique_id", "name", "resource_type", "database", "schema", "relation_name", "fqn"),
    *("description", "checksum", "source_name", "test_metadata", "attached_node", "raw_code"),
    "original_file_path",
)
"""Keys of dbt's manifest.json that project.json has for each node."""


class NotRenderedError(Exception):
    """The project was not rendered, mostly because dbt rejects it; the message says why."""


def digest() -> str:
    """Return the digest of everything that the rendered SQL follows from."""
    return _digest(_sources())


def _sources() -> Mapping[str, bytes]:
    paths = (path for pattern in SOURCES for path in PROJECT.glob(pattern))
    return {path.relative_to(PROJECT).as_posix(): path.read_bytes() for path in paths}


def _digest(sources: Mapping[str, bytes]) -> str:
    everything = hashlib.sha256(Path(__file__).read_bytes())
    for name in sorted(sources):
        everything.update(name.encode() + sources[name])
    return everything.hexdigest()


def read_project() -> dict[str, Any]:
    """Return project.json, after rendering the project if it changed.

    Raises NotRenderedError.
    """
    if rendered := _read():
        return rendered
    with _lock_file() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other processes wait for it, and for the renderer
        for _ in range(TRIES):
            if rendered := _read():
                return rendered
            for left in PROJECT.glob(f"{UNDER_WAY}*"):
                rmtree(left, ignore_errors=True)
            command = [sys.executable, "-P", __file__]
            ended = subprocess.run(  # noqa: S603 (ours)
                command, capture_output=True, text=True, check=False, pass_fds=[lock.fileno()]
            )
            if ended.returncode < 0:  # what it printed says nothing of its end
                by = signal.Signals(-ended.returncode).name
                raise NotRenderedError(f"the process that renders the models was killed ({by})")
            if ended.returncode:
                raise NotRenderedError(" ".join(ended.stderr.split()))
    raise NotRenderedError("the models change while they are rendered; run again")


def _lock_file() -> TextIO:
    try:
        return (PROJECT / ".rendering").open("w")
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        advice = "the models changed: run `make install` as the owner of the checkout"
        raise NotRenderedError(advice) from error


def _read() -> dict[str, Any] | None:
    try:
        rendered: dict[str, Any] = json.loads((RENDERED / "project.json").read_bytes())
    except (FileNotFoundError, ValueError):  # ValueError: cut off by a power failure
        return None
    return rendered if rendered["digest"] == digest() else None


def render() -> None:
    """Write RENDERED: the SQL of each mode, and project.json with all that a build has to know.

    A build that has read that one file is not changed by the next render.
    """
    sources = _sources()  # dbt reads a copy: they may change meanwhile, and change back
    for name in [name for name in os.environ if name.startswith("DBT_")]:
        del os.environ[name]  # DBT_FULL_REFRESH of an author would render both modes alike
    with TemporaryDirectory(  # dbt's threads may still write after an error
        prefix=UNDER_WAY, dir=PROJECT, ignore_cleanup_errors=True
    ) as folder:
        made, project = Path(folder) / "rendered", Path(folder) / "project"
        _write(project, sources)
        sql: dict[str, str] = {}
        for mode, arguments in MODES.items():
            manifest = _compile(project, Path(folder) / "target", *arguments)
            sql |= {f"{mode}/{name}": f"{code.strip()}\n" for name, code in _sql(manifest, mode)}
        whole = json.dumps({"digest": _digest(sources), "sql": sql, **_project(manifest)})
        files = {**sql, "project.json": whole}
        _write(made, {name: text.encode() for name, text in files.items()})
        rmtree(RENDERED, ignore_errors=True)
        made.rename(RENDERED)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _compile(project: Path, target: Path, *arguments: str) -> dict[str, Any]:
    """Return dbt's manifest.json, with the compiled code of each node."""
    from dbt.cli.main import dbtRunner  # noqa: PLC0415  a pipeline run does not load it

    os.environ |= {"DBT_TARGET_PATH": str(target), "DBT_LOG_PATH": str(target)}
    os.environ |= {"TRACKER_WAREHOUSE_PATH": ":memory:", "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
    folders = ("--project-dir", str(project), "--profiles-dir", str(project))
    quiet = ("--log-level", "none", "--log-level-file", "none")
    ended = dbtRunner().invoke(["compile", *folders, *quiet, *arguments])
    if not ended.success:
        failed = [node.message for node in ended.result or () if node.status == "error"]
        raise SystemExit(f"dbt could not render the models: {ended.exception or failed}")
    manifest: dict[str, Any] = json.loads((target / "manifest.json").read_bytes())
    return manifest


def _sql(manifest: Mapping[str, Any], mode: str) -> Iterator[tuple[str, str]]:
    """Yield the names and contents of a mode's files."""
    replaced = json.loads(manifest["nodes"][REPLACED]["compiled_code"])
    for node in _built(manifest):
        folder = node["schema"] if node["resource_type"] == "model" else "tests"
        yield f"{folder}/{node['alias']}.sql", node["compiled_code"]
        if mode == "incremental" and node["name"] in replaced:
            yield f"{folder}/{node['name']}.delete.sql", replaced[node["name"]]


def _built(manifest: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for node in manifest["nodes"].values():
        if node["resource_type"] in {"model", "test"}:
            yield node


def _project(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of manifest.json that a build needs: models and tests in their order."""
    nodes = {node["unique_id"]: _facts(node) for node in _built(manifest)}
    sources = {source: _facts(node) for source, node in manifest["sources"].items()}
    known = nodes.keys() | sources.keys()
    maps = {
        kind: {
            node: [other for other in of if other in known] for node, of in manifest[kind].items()
        }
        for kind in ("parent_map", "child_map")
    }
    ordered = {unique_id: nodes[unique_id] for unique_id in _order(nodes, maps["parent_map"])}
    return {"nodes": ordered, "sources": sources, **maps}


def _facts(node: Mapping[str, Any]) -> dict[str, Any]:
    facts = {key: node[key] for key in FACTS if key in node}
    facts["columns"] = {
        name: {key: column[key] for key in COLUMNS} for name, column in node["columns"].items()
    }
    if "alias" in node:
        facts |= {"alias": node["alias"], "config": _config(node["config"])}
    if node["resource_type"] == "model":
        facts["raw_code"] = ""
    return facts


def _config(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key: config[key] for key in ("materialized", "meta") if key in config}


def _order(nodes: Mapping[str, Any], parents: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield models after their parents, and tests as soon as all their models are there."""
    tests = {node for node in nodes if nodes[node]["resource_type"] == "test"}
    read = {node: [p for p in sorted(parents[node]) if p in nodes] for node in nodes}
    yielded: set[str] = set()
    models = {node: read[node] for node in nodes if node not in tests}
    for model in TopologicalSorter(models).static_order():
        yielded.add(model)
        yield model
        for test in sorted(test for test in tests if yielded.issuperset(read[test])):
            tests.remove(test)
            yield test


if __name__ == "__main__":
    os.umask(~PROJECT.stat().st_mode & 0o777)  # as readable as the models
    render()
