"""Tracking of videos switched off and on, one at a time or many (contract, Videos)."""
