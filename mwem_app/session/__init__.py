"""What a session holds: its settings, its run and its trials on threads of their own, and its seat in a live class."""
