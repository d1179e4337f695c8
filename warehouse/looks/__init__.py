"""When each account and post is looked at next: the rule, the plan by it, who takes what."""
