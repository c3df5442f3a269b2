"""The parts of PrivBayes: scores of parents, encodings, learning a network, and the network itself."""
