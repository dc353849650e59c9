"""A warning of the report, and the class that raises it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from smartsvm.presentation.documentation import page_of_guide

# What a warning is against: no target is called out of reach, or none is called reachable.
BOUNDS, REACHED = "bounds", "reached"


@dataclass(frozen=True)
class Flag:
    """A reason to read the report with care."""

    code: str  # short stable name
    title: str  # a few words
    message: str  # what was seen, what it does to the numbers, and what to do
    against_bounds: bool = False  # no target is called out of reach
    against_reached: bool = False  # no target is called reachable
    step: str | None = None  # what to do next, if the errors are those of another question

    @property
    def page(self) -> str:
        """Where the guide explains the warning."""
        return page_of_guide("warnings", self.code.replace("_", "-"))


class Check(ABC):
    """One reason not to trust a report."""

    code: str  # short stable name of the flag, that of its heading in the guide
    title: str  # a few words

    @abstractmethod
    def flags(self, report, problem):
        """Yield a flag for each thing that is wrong with a `DifficultyReport` or its `Problem`."""

    def flag(self, message, *, against=(), step=None):
        """A flag, with the answers of a verdict that it puts in doubt: BOUNDS, REACHED or both."""
        bounds, reached = BOUNDS in against, REACHED in against
        return Flag(self.code, self.title, message, bounds, reached, step)
