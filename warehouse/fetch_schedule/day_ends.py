"""When a fetch is taken before the end of a day, in the zone whose day it is."""

LEAD = "interval '1 minute' * (12 + (hashtext({subject}) & 31))"
"""How long before the end of a day a fetch is taken: spread, so that a platform is not asked for
everything at once, and always the same, so that the days are of one length. Before a period ends
it is 11 to 15 minutes: a worker comes every ten."""

START_OF_DAY = """
    least(
        ({day}) at time zone {zone},
        ({day} - interval '1 hour') at time zone {zone} + interval '1 hour'
    )
"""
"""When a local day begins, by its midnight. Where clocks go back from 1:00 to 0:00 there are two,
and PostgreSQL takes the second."""

NEXT_DAY_END = (
    START_OF_DAY.format(
        day="""
            date_trunc('day', ({at} + {lead} + interval '5 minutes') at time zone {zone})
            + interval '1 day'
        """,
        zone="{zone}",
    )
    + " - {lead}"
)
"""The next such instant behind one, and never one that is over in five minutes."""
