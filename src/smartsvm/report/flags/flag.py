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
    """One reason not to trust a report: a code, a condition, a sentence and a severity."""

    code: str  # short stable name of the flag
    title: str  # a few words

    @abstractmethod
    def find(self, measured):
        """Yield what is wrong, once for each flag; `measured` has the results of all stages."""

    @abstractmethod
    def message(self, flaw):
        """Say what was seen, what it does to the numbers, and what to do."""

    def against(self, flaw):
        """Which answers of a verdict this puts in doubt: some of BOUNDS and REACHED."""
        return ()

    def step(self, flaw):
        """What to do next, or None: only where the errors would be others after that."""
        return None

    def flags(self, measured):
        """The flags on a report."""
        for flaw in self.find(measured):
            against = self.against(flaw)
            yield Flag(
                code=self.code,
                title=self.title,
                message=self.message(flaw),
                against_bounds=BOUNDS in against,
                against_reached=REACHED in against,
                step=self.step(flaw),
            )
