"""Call models: HTTP, retries, prices, and the dialect of each family. What to ask is left to the roles."""
