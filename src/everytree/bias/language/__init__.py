"""The bias language: conditions and amounts as values, their text, its grammar and its mistakes."""
