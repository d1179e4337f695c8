"""Scrapes: the queue of requested ones, and the targets of scheduled ones."""
