"""The API as processes: starting, several beside each other, health, metrics."""
