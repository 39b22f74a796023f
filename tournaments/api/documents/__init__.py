"""Documents: available ones, requests, progress and downloads."""
