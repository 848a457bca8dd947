"""Programs that nobody here wrote: unchanged by the runtime, and counted as the kernel saw them."""
