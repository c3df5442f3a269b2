"""What a user sets: data, schema, workload, privacy, systems."""
