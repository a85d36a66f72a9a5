"""Settings for all tests."""

from hypothesis import settings

# A deadline on the wall clock tells how busy the machine is, not whether the code is right.
settings.register_profile("house", deadline=None)
settings.load_profile("house")
