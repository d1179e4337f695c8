"""The API as processes: start, workers, health, metrics."""
