"""Payout tools: rules, assignments, amounts and payments. Money is in cents."""

from serving_api.mcp.catalog.entry import Entries, Entry

PAYOUTS: Entries = {
    "get_payout_balance": Entry(
        "payout_balances_get",
        "the single amounts behind it are `payout_accruals_list` with `creator_id`.",
        use="Amounts are integer cents.",
        words="due, unpaid, outstanding, earned, settle, debt, today, cash",
    ),
    "list_accruals": Entry(
        "payout_accruals_list",
        "what was paid out is `payout_payments_list`; one creator's sum `payout_balances_get`.",
        use="Amounts are integer cents. `meta` has the sum over all pages.",
        words="bills, unpaid, earned, month, bill, this week",
    ),
    "get_accrual": Entry(
        "payout_accruals_get",
        "the rule as it was agreed is `payout_structures_get`.",
        use="Explains an amount: the evidence, and the version of the rule.",
        words="why, amount, explain, calculation, breakdown, how come, earned, dollars, little",
    ),
    "list_accrual_evidence": Entry(
        "payout_accruals_evidence",
        "the amount, its explanation and all short lists are `payout_accruals_get`.",
        use="For evidence with truncated conversions, or too long to read at once.",
        words="proof, behind, readings, justify, reason",
    ),
    "get_accrual_statement": Entry(
        "payout_accruals_statement",
        "to explain an amount, `payout_accruals_get` is shorter.",
        use="Proves an amount: signed, and long.",
        words="certificate, audit, document",
    ),
    "decide_accrual": Entry(
        "payout_accruals_decide",
        "to record that money was sent, use `payout_payments_create`.",
        words="accept, sign off, confirm, reject, veto",
    ),
    "release_accrual": Entry(
        "payout_accruals_release",
        "to approve an amount that is not on hold, use `payout_accruals_decide`.",
        use="For an accrual with `held`, after its `reason` and readings were reviewed.",
        words="unblock, unlock, unfreeze, stuck",
    ),
    "list_budgets": Entry(
        "budgets_list",
        "the spend of one budget is `budgets_get`.",
        words="remaining",
    ),
    "create_budget": Entry(
        "budgets_create",
        "to change an existing budget, use `budgets_update`.",
        use="Amounts are integer cents.",
    ),
    "get_budget": Entry(
        "budgets_get",
        "the single amounts behind it are `payout_accruals_list`.",
        use="Returns the current spend and what is left.",
        words="remaining, money, spent",
    ),
    "change_budget": Entry(
        "budgets_update", "its scope cannot change; create another budget with `budgets_create`."
    ),
    "delete_budget": Entry("budgets_delete", "to only warn instead, use `budgets_update`."),
    "list_payout_disputes": Entry(
        "payout_disputes_list",
        "what a disputed amount was computed from is `payout_accruals_get`.",
        use="With `overdue`, lists those past their due date.",
        words="disagree",
    ),
    "create_payout_dispute": Entry(
        "payout_disputes_create",
        "to decide about an amount yourself, use `payout_accruals_decide`.",
        words="complain, wrong, disagree, object",
    ),
    "get_payout_dispute": Entry(
        "payout_disputes_get", "to find those of one creator or amount, use `payout_disputes_list`."
    ),
    "decide_payout_dispute": Entry(
        "payout_disputes_decide",
        "it changes no amount: first correct the data, then find the adjustment in"
        " `payout_accruals_list`.",
        words="resolve, reply, answer, settle",
    ),
    "list_payments": Entry(
        "payout_payments_list",
        "what is owed is `payout_accruals_list`.",
        use="Amounts are integer cents.",
        words="wired, pay, history, payouts, already, disbursed, remittance",
    ),
    "create_payment": Entry(
        "payout_payments_create",
        "it records a payment and sends no money. To approve an amount, use"
        " `payout_accruals_decide`. Send an `idempotency_key`.",
        words="mark, wired, money, paid, pay, everybody, settle, bank, done, PayPal",
    ),
    "get_payment": Entry(
        "payout_payments_get", "the file of its receipt is `payment_receipts_get`."
    ),
    "change_payment": Entry(
        "payout_payments_update",
        "to correct a recorded amount, void the payment and record a new one with"
        " `payout_payments_create`.",
        words="cancel, bounced, arrived",
    ),
    "get_payment_receipt": Entry(
        "payment_receipts_get", "what a payment was for is `payout_payments_get`."
    ),
    "create_receipt_upload_url": Entry(
        "payment_receipts_upload",
        "it uploads nothing: a program must PUT the file to the URL.",
        words="attach, bank, confirmation, proof",
    ),
    "list_payout_structures": Entry(
        "payout_structures_list",
        "assigned creators are `payout_assignments_list`; amounts are `payout_accruals_list`.",
        words="deals, contracts, rates, CPM, agreements, terms",
    ),
    "create_payout_structure": Entry(
        "payout_structures_create",
        "to pay more creators by an existing rule, use `payout_assignments_create`.",
        use="It pays no one until creators are assigned.",
        words="deal, contract, bonus, retainer, CPM, agreement, reward, hitting, million, salary,"
        " per thousand impressions, flat fee",
    ),
    "simulate_payout_structure": Entry(
        "payout_structures_simulate",
        "amounts of current rules are `payout_accruals_list`; to apply a rule, use"
        " `payout_structures_create` or `payout_structures_update`.",
        use="Writes nothing: shows what another rate, cap or tier would have cost.",
        only_asks=True,
        words="what if, scenario, try, impact, flat fee, cost, per thousand",
    ),
    "search_payout_structure": Entry(
        "payout_structures_search",
        "to simulate a rule with known numbers, use `payout_structures_simulate`.",
        use="Writes nothing: finds the rate, amount or cap that fits a budget.",
        only_asks=True,
        words="afford, highest, CPM",
    ),
    "get_payout_structure": Entry(
        "payout_structures_get",
        "amounts computed by it are `payout_accruals_list` with `structure_id`.",
    ),
    "change_payout_structure": Entry(
        "payout_structures_update",
        "a new rule applies to all assigned creators; for some of them, create another structure.",
        words="raise, lower, increase, decrease, double, halve, fee, CPM, dollars, bonus, deal",
    ),
    "remove_payout_structure": Entry(
        "payout_structures_remove",
        "to stop paying some creators, use `payout_assignments_end`.",
        words="cancel, deal, contract",
    ),
    "list_payout_assignments": Entry(
        "payout_assignments_list",
        "the rule itself is `payout_structures_get`.",
        words="deal, contract, who",
    ),
    "assign_creators": Entry(
        "payout_assignments_create",
        "to create the rule itself, use `payout_structures_create`.",
        words="deal, contract, influencer, pay",
    ),
    "end_assignments": Entry(
        "payout_assignments_end",
        "to end a rule for all, use `payout_structures_remove`.",
        words="deal, contract, influencer, stop paying",
    ),
    "get_payout_account": Entry(
        "payout_accounts_get",
        "how much is owed is `payout_balances_get`.",
        words="bank, IBAN, PayPal, her money, send, go, details",
    ),
    "set_payout_account": Entry(
        "payout_accounts_set",
        "never invent details that the user did not give you.",
        words="bank, IBAN, PayPal",
    ),
    "delete_payout_account": Entry(
        "payout_accounts_delete", "to change where money goes, use `payout_accounts_set`."
    ),
    "list_payout_methods": Entry(
        "payout_methods_list", "which one a creator uses is `payout_accounts_get`."
    ),
    "create_payout_method": Entry(
        "payout_methods_create", "check with `payout_methods_list` first: common ones exist."
    ),
    "get_payout_method": Entry(
        "payout_methods_get", "to find one by name, use `payout_methods_list`."
    ),
    "change_payout_method": Entry(
        "payout_methods_update", "to set the image, use `payout_methods_set_icon`."
    ),
    "delete_payout_method": Entry(
        "payout_methods_delete", "to disable one that is in use, use `payout_methods_update`."
    ),
    "set_payout_method_icon": Entry(
        "payout_methods_set_icon",
        "for a large file, a program can use `payout_methods_upload_icon`.",
        takes_away=True,
    ),
    "create_icon_upload_url": Entry(
        "payout_methods_upload_icon",
        "it uploads nothing; send a small image directly with `payout_methods_set_icon`.",
    ),
}
