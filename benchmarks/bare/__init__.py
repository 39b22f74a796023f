"""The control of `writing.py`: the least that a Django view can do with a form."""
