"""The phone on the wire: the device side of the ADB protocol."""
