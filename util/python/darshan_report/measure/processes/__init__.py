"""Numbers of the processes of a run: names, lifetimes, ends, and the counts of the kernel."""
