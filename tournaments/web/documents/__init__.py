"""Documents: asked for, watched while they are made, and taken along."""
