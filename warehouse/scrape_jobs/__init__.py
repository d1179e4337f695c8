"""What to scrape: the queue of scrapes that were asked for, and the targets of scheduled ones."""
