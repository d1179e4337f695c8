"""Scrape jobs: scrapes that were asked for, and how they went."""
