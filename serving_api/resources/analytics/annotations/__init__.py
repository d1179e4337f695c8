"""Annotations: what people or the service note at an instant of an entity's analytics."""
