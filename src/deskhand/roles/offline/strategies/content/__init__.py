"""Text that stands on a page: read to be carried elsewhere, marked by the pointer."""
