"""Tables of numbers, text, dates and gaps as points and labels.

reading: input_file (bytes) → formats, json_and_excel (data frame) → prepared (points, labels)
prepared: label_columns (labels, groups, rows with a label), time_column, counted_rows (a table of
    counts as samples), unit_columns (texts by value), and the way of all other columns
walk: column_readers (number_words, dates and date_words, clock_times, text) → useless_columns →
    rows → far_values → encoding (gaps, categories, sentences) → scale; preparation is the
    transformer that walks it for new tables
records: what is known of a column, and notes; name_hints: all that a name may say; frames: tables
    of any kind
text_lines, no_header and lines_below_header of a CSV file; hints: what an error suggests;
    named_columns: those to drop and keep
"""
