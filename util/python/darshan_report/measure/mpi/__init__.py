"""Numbers of MPI: communication, and how long ranks waited."""
