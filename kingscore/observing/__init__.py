"""Monitoring of a running site: health, logs, metrics and workers."""
