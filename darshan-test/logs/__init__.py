"""Makes Darshan logs from the documented format, and computes what a reader must print for them.
This package does not use the C tables or the reader: if two independent implementations agree,
both are probably right."""
