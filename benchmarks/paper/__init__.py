"""The paper's tables and figures from one command; see README.md in this folder."""
