"""How the shipped weights came about: public labelled sets in, `words/weights.npz` out.

Needs scikit-learn (requirements-dev.txt) and clones of the repositories in `sets.toml`; nothing
that scores comments does. See `warehouse/comment_scoring/README.md`.
"""
