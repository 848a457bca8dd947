"""Programs that are linked with the runtime."""
