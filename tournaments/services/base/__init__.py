"""Shared helpers of all services."""
