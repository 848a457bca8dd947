"""Rules about streams of libc and of languages."""
