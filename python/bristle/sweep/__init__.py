"""Many runs over a grid or a sample of parameters, on this machine or on a cluster, resumed where
they were stopped."""
