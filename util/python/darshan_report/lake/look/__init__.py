"""What a centre looks at: a week as text, a lake in a browser."""
