"""Registration: the one door from landed batches into PostgreSQL, through which each goes once."""
