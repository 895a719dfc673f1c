"""Whether an agent could be turned against its user: the verdict over all of its tools.

If an agent reads private data, reads text that others wrote and can send bytes out, that text can
make it send that data. Sub-agents count as part of it, since tasks and answers carry text both
ways. Judges declarations and runs nothing; an undeclared tool counts as one that may do anything.
The model itself, also a remote one, is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from corpus_agent.workspace.personas import Agent
from corpus_agent.workspace.toolset import UNDECLARED, Leg


class Grade(Enum):
    """How far an agent is from being turned against its user, from the least on."""

    APART = "one leg at most"
    NEAR = "two legs: one tool more makes it lethal"
    UNKNOWN = "all three legs, by a tool that declares nothing"
    LETHAL = "all three legs"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The tools that bring each leg, by name; `changes` are those that change files.

    `undeclared` are tools without a declaration, which count for every leg.
    """

    name: str
    tools: Mapping[Leg, tuple[str, ...]]
    changes: tuple[str, ...]
    undeclared: tuple[str, ...] = ()

    @property
    def grade(self) -> Grade:
        """The grade; UNKNOWN if only tools that declare nothing make it lethal."""
        present = sum(bool(self.tools[leg]) for leg in Leg)
        if present < len(Leg):
            return Grade.NEAR if present == len(Leg) - 1 else Grade.APART
        declared = all(set(self.tools[leg]) - set(self.undeclared) for leg in Leg)
        return Grade.LETHAL if declared else Grade.UNKNOWN

    @property
    def causes(self) -> dict[Leg, str]:
        """The one tool that brings a leg, where taking it away alone would take away the leg."""
        return {leg: tools[0] for leg, tools in self.tools.items() if len(tools) == 1}

    @property
    def lethal(self) -> bool:
        """Whether all three legs are present."""
        return all(self.tools[leg] for leg in Leg)

    def __str__(self) -> str:
        """The verdict as lines for a person."""
        width = max(len(leg.value) for leg in Leg)
        rows = [f"  {leg.value:<{width}}  {', '.join(self.tools[leg]) or 'nothing'}" for leg in Leg]
        lacking = [leg.value for leg in Leg if not self.tools[leg]]
        verdict = f"not lethal: no {', no '.join(lacking)}" if lacking else "LETHAL: all three legs"
        causes = [
            f"  without {tool}: no {leg.value}" for leg, tool in self.causes.items() if self.lethal
        ]
        if self.grade is Grade.UNKNOWN:
            causes.append(f"  declares nothing, so may do anything: {', '.join(self.undeclared)}")
        if self.changes:
            causes.append(f"  not judged: who uses what {', '.join(self.changes)} changed")
        return "\n".join([f"{self.name}: {verdict}", *rows, *causes])


def trifecta(agent: Agent) -> Verdict:
    """The verdict for an agent and all agents that it can call."""
    every = agent.every
    tools = {leg: tuple(n for n, adds in every.items() if leg in adds.legs) for leg in Leg}
    changes = tuple(name for name, adds in every.items() if adds.changes)
    undeclared = tuple(name for name, adds in every.items() if adds == UNDECLARED)
    return Verdict(agent.persona.name, tools, changes, undeclared)
