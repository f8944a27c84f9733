"""Reads goals in plain English and Chinese into typed instructions."""
