"""Trains the shipped weights: public labelled sets in, `words/weights.npz` out.

Needs scikit-learn (requirements-dev.txt) and clones of the repositories in `sets.toml`; scoring
comments needs neither. See `warehouse/comment_scoring/README.md`.
"""
