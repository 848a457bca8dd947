"""Text, blocks and files of all outputs. Nothing here depends on logs."""
