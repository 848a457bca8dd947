"""Workers that make parts of a collection: processes of this machine, or a Dask cluster."""
