"""One run of the asset graph, from start to publication, and the run history."""
