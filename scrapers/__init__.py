"""Platform clients, parsers, URLs and the platform simulator. Imports no other package of ours."""
