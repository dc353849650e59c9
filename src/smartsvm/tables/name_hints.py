"""What the name of a column may say beside its values. This is the whole list of such hints.

unit    id, customer_id, patient, personNo, PolicyNumber: whole numbers, most of them different, are
        left out. Two rows a unit are enough to find alike rows, and the order of its values means
        nothing
index   index, key, "Unnamed: 0", or custid in rising order: whole numbers, all different, are left
        out
time    year, week, created_at, orderDate: whole numbers in a row are no ids and no units. Numbers
        that count seconds since 1970 are dates from 1973 on, others from 2001 on
date    date, order_date, DateOfHire: numbers from 29,221 to 51,500 are the days that Excel stores
        for dates from 1980 to 2040
birth   dob, birth_date, born: dates do not say when the samples were taken
later   closed_at, date_of_refusal, last_update: of several dates, another says when a row happened
parts   year, month, day, hour: when the samples were taken, in a table without dates
counts  n, count, freq, nobs: a table of counts, if its values prove it

A hint that is followed is printed. Apart from these, the name of a column changes nothing.
"""

import re

import numpy as np

from smartsvm.presentation.wording import listed
from smartsvm.tables.records import HINT, Note, in_note

UNIT, INDEX, TIME, DATED, BIRTH, COUNTS = "unit", "index", "time", "date", "birth", "counts"

_NOUN = "subject|subj|patient|participant|respondent|pupil|student|person|household|litter"
# With "id" behind them; alone, or with "no", they may be counts. Any word would do but for paid,
# acid and the like.
_THING = "child|infant|baby|family|school|class|teacher|hospital|clinic|site|plot|animal|dog|cow"
_THING += "|rat|mouse|team|player|firm|company|user|client|customer|account|county|country"
# What has a number of its own: with "no" and the like behind it, too.
_NUMBERED = "policy|invoice|ticket|booking|reservation|application|applicant|claim|contract|case"
_NUMBERED += "|loan|transaction|order|employee|member|passenger|record|sample|specimen|phone"
_NUMBERED += "|serial|client|customer|account"
_NUMBER = "no|nr|nbr|num|number|id|code"
_COUNTED = "no|nr|nbr|num|number|id"
_PATTERNS = {
    UNIT: re.compile(
        rf"(?i)(.*[\W_])?(id|uuid|key|({_NOUN})[\W_]*({_NUMBER})?|({_THING})id"
        rf"|({_NUMBERED})[\W_]*({_COUNTED})"
        rf"|({_NUMBER})[\W_]*({_NOUN}))|(?-i:.*[a-z]I[dD])",
        re.DOTALL,
    ),
    INDEX: re.compile(
        r"(.*[\W_])?([iI][dD]|uuid|UUID|index|key)|.*[a-z]I[dD]|Unnamed: \d+",
        re.DOTALL,
    ),
    TIME: re.compile(
        r"(?i)(.*[\W_])?(date|time|datetime|timestamp|epoch|ts|created|updated|year|month|week|day|"
        r"quarter|yr|at)([\W_].*)?|.*(Date|Time|Timestamp)|time.*|date.*",
        re.DOTALL,
    ),
    DATED: re.compile(
        r"(?i:(.*[\W_])?dates?([\W_].*)?)|.*[a-z]Date([A-Z].*)?|Date[A-Z].*", re.DOTALL
    ),
    BIRTH: re.compile(r"(?i)(.*[\W_])?(dob|birth.*|born)([\W_].*)?", re.DOTALL),
    COUNTS: re.compile(r"(?i)n|freq(uency|uencies)?|counts?|n[\W_]*obs"),
}
# Parts of a date in columns of their own.
YEAR, MONTH, DAY, HOUR = (
    re.compile(r"(?i)year|yr"),
    re.compile(r"(?i)month|mon|mm"),
    re.compile(r"(?i)day|dd|mday|(?:day|date)[_ ]?of[_ ]?month"),
    re.compile(r"(?i)hour|hr"),
)
# Words for what happens to a row at its end, or after it.
_LATER = re.compile(
    r"(?i)clos(e|ed|ing)|end|ended|finish(ed)?|complet(ed|ion)|resol(ved|ution)|expir(y|es|ed|ation)"
    r"|terminat(ed|ion)|refus(ed|al)|reject(ed|ion)|withdraw(n|al)|revo(ked|cation)|cancel.*"
    r"|discharged?|delivered|returned|paid|exit|left|death|died|deceased|outcome|decision"
    r"|last|updated?|modified|revised|revision"
)
# Units and times matter only for columns of at least so many different values.
_LEAST_VALUES = 10


def has_hint(name, hint):
    """Whether the name of a column gives a hint."""
    return _PATTERNS[hint].fullmatch(str(name)) is not None


def is_later(name):
    """Whether a word in the name of a date says that it is of the end of a row, or after it."""
    words = re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", str(name))
    return any(map(_LATER.fullmatch, words))


def hints_of_numbers(name, values):
    """The hints that a report follows for a column of numbers: of whole ones, not very few."""
    hints = frozenset(hint for hint in (UNIT, TIME) if has_hint(name, hint))
    if not hints:
        return hints
    present = values[~np.isnan(values)]
    whole = (present == np.floor(present)).all()
    return hints if whole and len(np.unique(present)) >= _LEAST_VALUES else frozenset()


def hints_of_text(name, numbered):
    """The hints that a report follows for a column of text with numbered values."""
    is_unit = has_hint(name, UNIT) and numbered.max(initial=-1) + 1 >= _LEAST_VALUES
    return frozenset({UNIT} if is_unit else ())


def notes_on_hints(columns, units=()):
    """Which columns are units or times by their names."""
    for hint, one, more in ((UNIT, "is a unit", "are units"), (TIME, "is a time", "are times")):
        names = [column.sources[0] for column in columns if hint in column.hints]
        names += units if hint == UNIT else ()
        if names:
            several = len(names) > 1
            shown = listed([in_note(name) for name in names])
            whose, are = ("their names", more) if several else ("its name", one)
            yield Note(HINT, f"by {whose}, {shown} {are}", tuple(names))
