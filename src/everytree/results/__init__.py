"""What comes back from a question: data, counting, saving."""
