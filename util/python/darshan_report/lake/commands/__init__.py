"""The commands darshan collect, darshan ask and darshan lake."""
