"""Accruals: what creators are owed, by a publication and by decisions since.

`accrual` is one of them; `states` applies the rules to recomputed amounts and decisions (money.md
M17 to M19); `published` reads the publication; `listing` filters, sorts and sums; `newer` replaces
published accruals by newer decisions.
"""
