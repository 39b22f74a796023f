"""The control of `writing.py`: a minimal Django view that takes a form."""
