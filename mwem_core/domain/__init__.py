"""What is public: attributes, their values, the schema file, and what a workload can be asked of."""
