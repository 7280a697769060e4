"""Many runs over a grid or a sample of parameters: on this machine or on a cluster, and going on
where it was stopped."""
