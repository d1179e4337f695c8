"""Processing of every request: connection, body, authentication, log, errors."""
