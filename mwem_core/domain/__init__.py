"""What is public about a record. What values can an attribute have: `values`; which codes: `attribute`; which cells:
`domain`; how is it declared in a file: `schema`; what can answer a workload: `source`."""
