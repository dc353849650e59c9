"""How everything that users see is put: numbers in words, progress, where to read on.

wording        numbers, counts and lists in sentences
options        how a sentence spells an option, in Python and on the command line
progress       messages of long calls on standard error
documentation  the page of an estimator, for its HTML representation
"""
