"""Builders of test data, one module per domain: store rows, mart rows and batch rows."""
