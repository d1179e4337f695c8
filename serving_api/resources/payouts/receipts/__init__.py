"""Receipts of payments: uploaded by signed URL, named by the payment, downloaded by signed URL."""
