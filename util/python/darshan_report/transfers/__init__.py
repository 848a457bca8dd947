"""The command darshan dxt-analyzer (darshan-dxt-analyzer), which shows single transfers of traces
(DXT)."""
