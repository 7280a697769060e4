"""Fits a law to records: the problem, the estimate, its statistics, and all laws in comparison."""
