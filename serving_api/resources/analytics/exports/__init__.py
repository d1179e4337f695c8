"""Exports: datasets as streamed CSV files, by page. `endpoints` lists the datasets."""
