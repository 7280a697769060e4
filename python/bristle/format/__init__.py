"""The format of the FMUs: what the generator writes into one, and what the tools read there or
write anew."""
