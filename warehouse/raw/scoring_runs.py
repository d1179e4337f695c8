"""The number of the comment scorer's last run, completed or killed."""

from duckdb import DuckDBPyConnection

LAST = """
    select coalesce(max(score_seq), 0)
    from (
        select score_seq from raw.comment_scorings
        union all
        select score_seq from raw.comment_scores -- also of a pass that was killed
    )
"""


def last_score_seq(connection: DuckDBPyConnection) -> int:
    """Return the greatest number of scores and mentions; 0 is none."""
    [(score_seq,)] = connection.execute(LAST).fetchall()
    return int(score_seq)
