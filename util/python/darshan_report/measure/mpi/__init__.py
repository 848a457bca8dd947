"""Numbers about MPI: communication, and how long ranks waited."""
