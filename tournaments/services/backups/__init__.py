"""Backups: everything kept in one file, which any database of ours can be restored from."""
