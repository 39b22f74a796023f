"""Games at tables: started, recorded, corrected, confirmed and read."""
