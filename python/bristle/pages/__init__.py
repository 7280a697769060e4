"""Pages and drawings, as identify, sweep and the site make them."""
