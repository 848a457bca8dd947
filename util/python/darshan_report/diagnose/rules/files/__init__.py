"""Rules about names, opens and copies of files, and where they are stored."""
