"""What a session holds: settings, a run on its thread, trials on theirs."""
