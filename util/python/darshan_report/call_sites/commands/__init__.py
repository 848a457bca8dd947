"""The commands darshan where and darshan annotate."""
