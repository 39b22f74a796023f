"""Read queries: rows to values, in a fixed number of queries."""
