"""Platform clients, parsers, URLs and the platform simulator. Imports nothing else of ours."""
