"""What the command line does: thin wrappers around the functions of the package."""
