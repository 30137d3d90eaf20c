"""What a person may ask: certify, radius, family, metrics."""
