"""What is seen of a running site: whether it is alive, log lines, counts, and who works."""
