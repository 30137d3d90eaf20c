"""What one tree can do to everybody at once: bounds of sums over people, over the whole family of trees."""
