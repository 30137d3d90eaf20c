"""What every room may use: text, files, progress, limits, how kernels are compiled."""
