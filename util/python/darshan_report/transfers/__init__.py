"""The command darshan-dxt-analyzer: what traces (DXT) say of single transfers."""
