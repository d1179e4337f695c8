"""Accruals: what creators are owed, as of a publication and of what people decided since.

`accrual` is one of them as it is told; `states` asks the rules for the accruals of subjects, of
what they recompute to and what people decided (money.md M17 to M19); `published` reads the
publication, `listing` filters, sorts and sums, `newer` lets what was decided since take the place
of what was published.
"""
