"""Payout accruals: what creators are owed, computed by the models; listed, explained, decided.

`current` joins the publication with what people decided, `evidence` and `summary` explain an
amount, `service` is what may be asked and decided.
"""
