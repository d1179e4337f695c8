"""Typed queries of comments: lists, summaries, and creators and posts to look at."""
