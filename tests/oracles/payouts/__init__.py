"""Amounts owed to creators, computed slowly, rule by rule (money.md M1 to M21).

It shares no code with the models: fractions instead of scaled integers, days by zoneinfo, and every
count looked up in the list of all readings. `owed` returns the current amounts of accruals, `shown`
what the API shows of them after approvals and payments.
"""

from tests.oracles.payouts.earned import owed
from tests.oracles.payouts.facts import Facts
from tests.oracles.payouts.shown import shown

__all__ = ["Facts", "owed", "shown"]
