"""The commands of lakes (tables made of many logs): darshan collect, ask, lake, digest, serve."""
