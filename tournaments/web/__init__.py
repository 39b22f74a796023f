"""Pages: one module for each kind of visitor."""
