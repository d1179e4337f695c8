"""Exports: datasets as streamed CSV files, by page. `registry` lists the datasets."""
