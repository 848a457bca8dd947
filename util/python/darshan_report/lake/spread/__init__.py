"""Who makes the parts: processes of this machine, or the workers of a cluster."""
