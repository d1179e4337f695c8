"""Posts that a file names more than once: the first line counts, and others must agree with it."""

from pathlib import Path

import duckdb

from warehouse.imports.report import Problem, Report
from warehouse.settings import Settings

NUMBERED = """
    with told as (
        select *, row(handle, posted_at, caption) as facts
        from read_parquet($kept)
    )

    select
        *,
        first_value(line) over post as first_line,
        facts is distinct from first_value(facts) over post as differs
    from told
    window post as (partition by platform, platform_video_id order by line)
"""


def part_repeats(settings: Settings, kept: Path, posts: Path, report: Report) -> None:
    """Write each post's first line of `kept` to `posts`; report the lines that tell otherwise."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": settings.duckdb_memory_limit,
        "threads": settings.duckdb_threads,
        "temp_directory": str(kept.parent),
    }
    with duckdb.connect(config=config) as connection:
        connection.execute("set TimeZone = 'UTC'")
        files = {"kept": str(kept), "posts": str(posts)}
        connection.execute(
            f"copy (select * exclude (facts, differs) from ({NUMBERED}) where line = first_line)"  # noqa: S608
            " to $posts (format parquet)",
            files,
        )
        differing = connection.execute(
            f"select line, platform_video_id, first_line from ({NUMBERED})"  # noqa: S608
            " where differs order by line",
            {"kept": str(kept)},
        )
        while rows := differing.fetchmany():
            report.refuse([_problem(*row) for row in rows])
    report.problems.sort(key=lambda problem: problem.line)


def _problem(line: int, post: str, first_line: int) -> Problem:
    reason = f"stands on line {first_line} with other values"
    return Problem(line, "platform_video_id", post, reason)
