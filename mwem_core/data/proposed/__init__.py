"""What is proposed for the columns of a table, by what they hold. It reads the data."""
