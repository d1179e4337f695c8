"""What happens to every request, whatever it asks: connection, body, gate, log, errors."""
