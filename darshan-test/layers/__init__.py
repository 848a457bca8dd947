"""What HDF5 calls become in POSIX: nothing is lost, nothing is there twice."""
