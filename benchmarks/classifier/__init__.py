"""What many classes cost."""
