"""The pieces of the page Release: what is public, what it may cost, a rehearsal, and the files that may leave."""
