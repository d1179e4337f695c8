"""Payout accruals: amounts owed to creators, computed by the models.

`current` joins the publication with decisions, `evidence` and `summary` explain an amount,
`listing` lists, and `service` decides.
"""
