"""Backups: one file with all data, from which any supported database can be restored."""
