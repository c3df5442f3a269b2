"""The pieces of the pages Compare and Trade-off."""
