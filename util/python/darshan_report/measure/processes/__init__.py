"""Numbers about the processes of a run: names, lifetimes, exits, and the kernel's counts."""
