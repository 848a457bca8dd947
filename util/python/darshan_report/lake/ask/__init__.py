"""From a lake to answers."""
