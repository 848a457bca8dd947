"""Call sites in the formats of other viewers."""
