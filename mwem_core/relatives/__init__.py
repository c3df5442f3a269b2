"""What stands beside MWEM: one system a file, each saying how it differs, all yielding rounds as MWEM does.

A system's file has a function that makes its settings as its paper has them, called like the presets of MWEM:
`preset(workload, *, n, epsilon, delta, T)`. `mwem_core.systems` lists them by name.
"""
