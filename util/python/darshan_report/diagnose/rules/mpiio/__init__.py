"""Rules about MPI-IO."""
