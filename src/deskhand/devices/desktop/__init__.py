"""An X11 desktop."""
