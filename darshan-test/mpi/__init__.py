"""Jobs of MPI programs: what starts, what ends, what is left."""
