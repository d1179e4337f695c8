"""Content groups: the same content on several platforms, linked."""
