"""What stands beside MWEM: one system a file, each saying how it differs from MWEM, all yielding rounds as MWEM does.

A system is a frozen class of settings. If its paper's settings depend on the task, its file also has a function
`preset`, whose keyword arguments say what it reads of workload, n, epsilon, delta and T. `mwem_core.systems` lists all
systems by name.
"""
