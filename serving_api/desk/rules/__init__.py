"""Rules of payout structures as text and forms."""
