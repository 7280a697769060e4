"""The format of the FMUs: what the generator writes into them and the tools read or rewrite."""
