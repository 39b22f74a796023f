"""Members of clubs and their players."""
