"""HTTP over the engine: layered chat, tasks, devices; conversations that survive a restart."""
