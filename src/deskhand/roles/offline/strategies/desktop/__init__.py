"""What only a desktop has: keys without a field, sheets, files that are saved under a name."""
