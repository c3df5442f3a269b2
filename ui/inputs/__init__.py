"""What a user sets: data, schema, questions, privacy, systems."""
