"""From a measurement to parameters: reads records, fits models to them and says what the data do
and do not tell."""
