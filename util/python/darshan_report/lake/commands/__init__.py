"""The commands of lakes: darshan collect, ask, lake, digest, serve."""
