"""When fetches before the end of a local day take place."""

LEAD = "interval '1 minute' * (12 + (hashtext({subject}) & 31))"
"""How long before the end of a day a fetch takes place. Spread by subject to limit the platform's
load, and constant, so that days have equal length. Before a period's end it is 11 to 15 minutes,
because workers run every ten."""

START_OF_DAY = """
    least(
        ({day}) at time zone {zone},
        ({day} - interval '1 hour') at time zone {zone} + interval '1 hour'
    )
"""
"""The start of a local day. Where clocks go back from 1:00 to 0:00 there are two midnights, and
PostgreSQL takes the second."""

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
"""The first such instant at least five minutes after another."""
