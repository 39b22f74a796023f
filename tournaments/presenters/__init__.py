"""Presenters: build the content of pages, documents and API answers."""
