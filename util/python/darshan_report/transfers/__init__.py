"""The command darshan dxt-analyzer (darshan-dxt-analyzer), which prints sizes and order of
the transfers in traces (DXT)."""
