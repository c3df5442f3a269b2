"""What is public about a record. `values`: the value set of an attribute; `attribute`: its codes; `domain`: all
attributes and their cells; `schema`: the file that declares them; `source`: what can answer a workload."""
