"""Whether what is stored is what it is computed from: each cache, the nightly check, the repair."""
