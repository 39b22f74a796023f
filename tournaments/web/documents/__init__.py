"""Documents: request, progress and download."""
