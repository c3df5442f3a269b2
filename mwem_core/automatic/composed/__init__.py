"""One algorithm after another: parts of a mixed workload are measured `apart`, and `moving` moves the model to them."""
