"""What is owed by which rules, to whom, and what was paid."""
