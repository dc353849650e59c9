"""The version, which stands nowhere else."""

__version__ = "2.0.0"
