"""Tools about money: rules, who is paid by them, what is owed, and what was paid. In cents."""

from serving_api.mcp.catalog.entry import Entries, Entry

PAYOUTS: Entries = {
    "get_payout_balance": Entry(
        "payout_balances_get",
        "the single amounts behind it are `payout_accruals_list` with `creator_id`.",
        use="Amounts are integer cents.",
    ),
    "list_accruals": Entry(
        "payout_accruals_list",
        "what was paid out is `payout_payments_list`; one creator's sum `payout_balances_get`.",
        use="Amounts are integer cents. `meta` sums up all that the filters match.",
    ),
    "get_accrual": Entry(
        "payout_accruals_get",
        "the rule as it was agreed is `payout_structures_get`.",
        use="It explains an amount: what was counted, under which version of the rule.",
    ),
    "list_accrual_evidence": Entry(
        "payout_accruals_evidence",
        "the amount, its explanation and all short lists are `payout_accruals_get`.",
        use="For evidence that lists only part of its conversions, or is too long to read at once.",
    ),
    "get_accrual_statement": Entry(
        "payout_accruals_statement",
        "to explain an amount, `payout_accruals_get` is shorter.",
        use="For whoever wants to prove an amount: it is signed, and long.",
    ),
    "decide_accrual": Entry(
        "payout_accruals_decide",
        "to record that money was sent, use `payout_payments_create`.",
    ),
    "release_accrual": Entry(
        "payout_accruals_release",
        "to approve an amount that waits for no check, use `payout_accruals_decide`.",
        use="For an accrual with `held`, once somebody looked at the readings that it names.",
    ),
    "list_budgets": Entry(
        "budgets_list",
        "what one of them has come to is `budgets_get`.",
    ),
    "create_budget": Entry(
        "budgets_create",
        "to change what may be spent, use `budgets_update`.",
        use="Amounts are integer cents.",
    ),
    "get_budget": Entry(
        "budgets_get",
        "the single amounts behind it are `payout_accruals_list`.",
        use="It says what the budget has come to by now, and what is left.",
    ),
    "change_budget": Entry(
        "budgets_update",
        "what a budget is of never changes: make another with `budgets_create`.",
    ),
    "delete_budget": Entry(
        "budgets_delete",
        "to only warn from now on, use `budgets_update`.",
    ),
    "list_payout_disputes": Entry(
        "payout_disputes_list",
        "what a disputed amount was computed from is `payout_accruals_get`.",
        use="With `overdue` it lists those that nobody resolved in time.",
    ),
    "create_payout_dispute": Entry(
        "payout_disputes_create",
        "to decide about an amount yourself, use `payout_accruals_decide`.",
    ),
    "get_payout_dispute": Entry(
        "payout_disputes_get",
        "to find those of one creator or amount, use `payout_disputes_list`.",
    ),
    "decide_payout_dispute": Entry(
        "payout_disputes_decide",
        "it changes no amount: what is wrong is put right first, and the adjustment that comes of"
        " that is in `payout_accruals_list`.",
    ),
    "list_payments": Entry(
        "payout_payments_list",
        "what is owed is `payout_accruals_list`.",
        use="Amounts are integer cents.",
    ),
    "create_payment": Entry(
        "payout_payments_create",
        "it records a payment and sends no money. To approve an amount, use"
        " `payout_accruals_decide`. Send an `idempotency_key`.",
    ),
    "get_payment": Entry(
        "payout_payments_get",
        "the file of its receipt is `payment_receipts_get`.",
    ),
    "change_payment": Entry(
        "payout_payments_update",
        "an amount that was recorded wrong is voided and recorded anew with"
        " `payout_payments_create`.",
    ),
    "get_payment_receipt": Entry(
        "payment_receipts_get",
        "what a payment was for is `payout_payments_get`.",
    ),
    "create_receipt_upload_url": Entry(
        "payment_receipts_upload",
        "it uploads nothing: the file has to be PUT to the URL, which needs a program.",
    ),
    "list_payout_structures": Entry(
        "payout_structures_list",
        "who is paid by one is `payout_assignments_list`; what came of it `payout_accruals_list`.",
    ),
    "create_payout_structure": Entry(
        "payout_structures_create",
        "to pay further creators by a rule that exists, use `payout_assignments_create`.",
        use="It pays nobody until creators are assigned.",
    ),
    "simulate_payout_structure": Entry(
        "payout_structures_simulate",
        "what is owed by the rules in force is `payout_accruals_list`; to put a rule in force, use"
        " `payout_structures_create` or `payout_structures_update`.",
        use="It writes nothing: for whoever asks what another rate, cap or tier would have cost.",
        only_asks=True,
    ),
    "search_payout_structure": Entry(
        "payout_structures_search",
        "what a rule with given numbers would have paid is `payout_structures_simulate`.",
        use="It writes nothing: for whoever has a budget and asks which rate, amount or cap meets"
        " it.",
        only_asks=True,
    ),
    "list_payout_simulations": Entry(
        "payout_simulations_list",
        "how far one is, is `payout_simulations_get`.",
    ),
    "create_payout_simulation": Entry(
        "payout_simulations_create",
        "for at most 100 creators and 92 days, `payout_structures_simulate` answers at once.",
        use="It is computed in the background: ask `payout_simulations_get` until it succeeded.",
    ),
    "get_payout_simulation": Entry(
        "payout_simulations_get",
        "what came of it by creator, period or video is `payout_simulations_result`.",
    ),
    "delete_payout_simulation": Entry(
        "payout_simulations_delete",
        "it expires by itself after seven days.",
    ),
    "get_payout_simulation_result": Entry(
        "payout_simulations_result",
        "how far one is that has not succeeded yet is `payout_simulations_get`.",
    ),
    "get_payout_structure": Entry(
        "payout_structures_get",
        "amounts computed by it are `payout_accruals_list` with `structure_id`.",
    ),
    "change_payout_structure": Entry(
        "payout_structures_update",
        "for some creators alone, make another structure: a new rule holds for all who are"
        " assigned.",
    ),
    "remove_payout_structure": Entry(
        "payout_structures_remove",
        "to stop paying some creators, use `payout_assignments_end`.",
    ),
    "list_payout_assignments": Entry(
        "payout_assignments_list",
        "the rule itself is `payout_structures_get`.",
    ),
    "assign_creators": Entry(
        "payout_assignments_create",
        "the rule itself is made with `payout_structures_create`.",
    ),
    "end_assignments": Entry(
        "payout_assignments_end",
        "to end a rule for all, use `payout_structures_remove`.",
    ),
    "get_payout_account": Entry(
        "payout_accounts_get",
        "how much is owed is `payout_balances_get`.",
    ),
    "set_payout_account": Entry(
        "payout_accounts_set",
        "never fill in details that nobody gave you.",
    ),
    "delete_payout_account": Entry(
        "payout_accounts_delete",
        "to change where money goes, use `payout_accounts_set`.",
    ),
    "list_payout_methods": Entry(
        "payout_methods_list",
        "which one a creator uses is `payout_accounts_get`.",
    ),
    "create_payout_method": Entry(
        "payout_methods_create",
        "look with `payout_methods_list` first: the usual ones exist.",
    ),
    "get_payout_method": Entry(
        "payout_methods_get",
        "to find one by name, use `payout_methods_list`.",
    ),
    "change_payout_method": Entry(
        "payout_methods_update",
        "an image is given with `payout_methods_set_icon`.",
    ),
    "delete_payout_method": Entry(
        "payout_methods_delete",
        "one that is in use is disabled with `payout_methods_update`.",
    ),
    "set_payout_method_icon": Entry(
        "payout_methods_set_icon",
        "a large file is uploaded by a program: `payout_methods_upload_icon`.",
        takes_away=True,
    ),
    "create_icon_upload_url": Entry(
        "payout_methods_upload_icon",
        "it uploads nothing; a small image is sent at once with `payout_methods_set_icon`.",
    ),
}
