"""When each account and post is fetched next: the rule, the plan by it, who takes what."""
