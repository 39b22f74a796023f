"""The project: wiring only, no logic."""

import gc

# Few objects of a page are garbage in circles: looking for them after every 700 takes a twentieth
# of its time. After 10,000 the web server takes 6 MB more.
gc.set_threshold(2_500)
