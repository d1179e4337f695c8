"""Registration of landed batches, and the warehouse's copy of what people decided."""
