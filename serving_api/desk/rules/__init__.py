"""Rules of payout structures as people read and fill them in."""
