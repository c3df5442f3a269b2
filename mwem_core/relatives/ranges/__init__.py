"""Systems for ranges: noise on a tree of intervals, and on buckets found in the data."""
