"""The abstract domains: which splits of a node may be best in some table, and what a leaf can then say."""
