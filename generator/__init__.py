"""The generator: reads the descriptions and the C of the models, and writes what the build compiles
and packs.

Used from a checkout only and never installed. From the folder of the project: python -m generator
--help
"""
