"""Makes what is published: the report, the archive of all FMUs and the site."""
