"""Tables of numbers, text, dates and gaps as points and labels.

reading: file (bytes) → formats (data frame) → preparation (points, labels)
preparation: columns (numbers or text) → dates, useless columns, gaps, categories
"""
