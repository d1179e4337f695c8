"""Tags: labels on creators, campaigns, accounts and videos."""
