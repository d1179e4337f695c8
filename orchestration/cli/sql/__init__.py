"""`tracker sql`: SQL on the current publication, with nothing installed but the service itself."""
