"""Things that are moved on a page or made another size by the pointer."""
