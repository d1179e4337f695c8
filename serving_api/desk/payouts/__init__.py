"""What is owed, why, and what becomes of it: approved, not paid, paid."""
