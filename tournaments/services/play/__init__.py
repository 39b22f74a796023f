"""Games at tables: begun, written down, confirmed, followed by the next one."""
