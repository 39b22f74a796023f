"""What is only read: the club in numbers."""
