"""The Bayes error from several annotators' labels, on public data and on simulated annotators."""
