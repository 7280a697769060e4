"""What came out: words and the page."""
