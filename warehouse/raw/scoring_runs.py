"""How far the scorer of comments has come: the number of its last pass, whole or killed."""

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
    """Return the greatest number that rows of scores and mentions have; 0 is none."""
    [(score_seq,)] = connection.execute(LAST).fetchall()
    return int(score_seq)
