"""How results are shown: notebooks, pictures, the report."""
