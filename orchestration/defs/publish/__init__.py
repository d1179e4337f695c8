"""The publication that readers see."""
