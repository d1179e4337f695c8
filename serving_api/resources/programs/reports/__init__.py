"""Reports: pages of a project or campaign for outsiders, opened with a PIN."""
