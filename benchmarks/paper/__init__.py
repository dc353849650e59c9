"""The paper's tables and figures from one command: `make paper`.

A cell is a set, a split and a method; `run` makes the cells, `studies` the numbers behind the
figures, `results` the page. Finished cells are kept in `records`, so a run can be resumed.

published       the paper's numbers
datasets        loading, verifying and fetching (sources) the sets
protocol        sizes of a run; splits, scaling, folds
methods         how every contestant is built
tuning          choice of C, CPU time, the time limit
cell, runner    one cell, and the processes that run cells
summary         from records to means; tables, claims, bars and ranks make Markdown of them
draw, captions  the figures and the text below them
"""
