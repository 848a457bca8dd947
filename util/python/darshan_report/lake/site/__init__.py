"""Tables of a lake that come from the site: the scheduler's accounting, and time series of
servers."""
