"""Games at a table: their sheets, and everything that is written on one."""
