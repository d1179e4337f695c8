"""Posts that were found and wait to be counted, or left out."""
