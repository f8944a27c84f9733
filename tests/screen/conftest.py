"""Examples take as long as they take: the machine may be busy."""

from hypothesis import settings

settings.register_profile("screen", deadline=None, max_examples=60)
settings.load_profile("screen")
