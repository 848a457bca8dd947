"""The tables of a lake as Delta Lake tables, for engines that do not know the lake's own
commits."""
