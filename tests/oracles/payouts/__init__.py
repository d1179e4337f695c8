"""What creators are owed, worked out slowly and plainly, rule by rule (money.md M1 to M21).

Shares nothing with the models: fractions in place of scaled integers, days by zoneinfo, every day
asked for itself, every count looked for anew in the list of all readings. `owed` gives what each
accrual comes to now, `shown` what the API tells of it after approvals and payments.
"""

from tests.oracles.payouts.earned import owed
from tests.oracles.payouts.facts import Facts
from tests.oracles.payouts.shown import shown

__all__ = ["Facts", "owed", "shown"]
