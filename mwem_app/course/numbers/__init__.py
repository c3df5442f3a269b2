"""The numbers of the lessons: computed by the mechanisms themselves, with a seed, on example data. Not private."""
