"""Makes what is published: the report, the archive of all FMUs and the site. Used from a checkout
only and never installed.

The folder above is no package, as site is a module of Python itself. From the folder of the
project: python site/bristle_site --help
"""
