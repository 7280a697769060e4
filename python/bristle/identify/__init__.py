"""From a measurement to parameters: reads records, fits models to them and says what the data do
and do not tell."""

# What may be said of a record, by a command or by a side file.
LOADS = ("auto", "none", "gravity", "spring")
SIGNS = ("auto", "+", "-")
OFFSETS = ("auto", "none")
