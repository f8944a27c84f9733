"""A client of the adb server."""
