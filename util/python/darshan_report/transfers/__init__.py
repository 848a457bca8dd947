"""The command darshan-dxt-analyzer: the single transfers in traces (DXT)."""
