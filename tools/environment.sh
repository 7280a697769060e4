# Sourced by the scripts of the project, from its folder: its own Python first, and compiled modules
# in the build folder, not beside the sources, which get packed and hashed. There they are written
# even where Python writes none: a build starts it hundreds of times.
export PATH="$PWD/.venv/bin:$PATH"
export PYTHONPYCACHEPREFIX="$PWD/build/pycache"
unset PYTHONDONTWRITEBYTECODE
