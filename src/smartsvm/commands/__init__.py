"""What the command line does: thin faces over the functions of the package."""
