"""What a session holds: its settings, and its run and its trials on threads of their own."""
