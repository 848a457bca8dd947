"""Text, blocks and files of all outputs. This package does not depend on logs."""
