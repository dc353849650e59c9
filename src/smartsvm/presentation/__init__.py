"""How everything that users see is put: numbers in words, names that fit, progress, files.

wording        numbers, counts and lists in sentences
options        how a sentence spells an option, in Python and on the command line
progress       messages of long calls on standard error
documentation  the pages of estimators and of warnings, for links
display_names  names of classes and columns, safe to print and short enough
output_files   files that are written whole or not at all
"""
