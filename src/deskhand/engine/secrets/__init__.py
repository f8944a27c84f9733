"""Keeps secrets out of prompts, logs, the journal and pictures; only the device gets their values."""
