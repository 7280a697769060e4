"""A law against records: the problem, the estimate, its statistics, and all laws in comparison."""
