"""When a screen is still, what moves on it by itself, and whether actions still change anything."""
