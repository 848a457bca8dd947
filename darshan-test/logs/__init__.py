"""Makes Darshan logs from the documented format, and computes what a reader must print for them.
This package uses neither the C tables nor the C reader: if two independent implementations agree,
both are probably right."""
