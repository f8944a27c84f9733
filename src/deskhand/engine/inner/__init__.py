"""The inner loop: observe, decide, act, settle, report. It never plans."""
