"""Pages and drawings for identify, sweep and the site."""
