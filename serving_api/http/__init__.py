"""What happens to every request: connection, body, authentication, log, errors."""
