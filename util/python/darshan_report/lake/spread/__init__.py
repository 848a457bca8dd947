"""Workers that make parts: processes of this machine, or a Dask cluster."""
