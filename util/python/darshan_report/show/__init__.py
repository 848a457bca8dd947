"""Text, blocks and files of every output; knows no log."""
