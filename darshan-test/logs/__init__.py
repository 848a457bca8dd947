"""Darshan logs made from the written format, and what a reader must print for them.

Nothing here looks at the C tables or the reader: two independent readings of
the format that agree are the evidence that both are right.
"""
