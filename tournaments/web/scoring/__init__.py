"""The table page: deals written down by one phone, corrected, confirmed, and followed."""
