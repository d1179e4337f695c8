"""Annotations: notes of people or the service at an instant of an entity's analytics."""
