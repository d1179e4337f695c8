"""`tracker sql`: SQL on the current publication, with nothing else installed."""
