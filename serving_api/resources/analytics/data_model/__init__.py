"""The data model as clients see it: entities, their fields and how they refer to each other."""
