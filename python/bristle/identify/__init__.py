"""From a measurement to parameters: reads records, fits models to them and reports what the data
determine and what they do not."""
