"""The results: words and the page."""
