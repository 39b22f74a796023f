"""The portable JSON documents: strict reading, writing, and JSON Schemas."""
