"""Settings: their schema, where they come from, and where secrets are kept."""
