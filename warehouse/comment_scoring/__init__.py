"""Scores comment texts: language, sentiment, signals and mentioned terms.

This package scores texts and stores the scores in the raw tables. Signals and words are data
(`signals/*.toml`, `words/*`). Collection finds the comments; dbt aggregates the scores.
"""
