"""Whether an agent could be turned against its user: the verdict over all of its tools.

An agent that takes in private data, takes in text that others wrote and can send bytes out may be
told by that text to send that data. What its sub-agents do counts as its own, since tasks and
answers carry text both ways. Judges declarations and runs nothing, a tool of which nothing is
declared as one that may do anything; the model itself, a remote one
too, is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from corpus_agent.workspace.personas import Agent
from corpus_agent.workspace.toolset import Leg


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which tools bring which leg, by their names; `changes` are those that change files."""

    name: str
    tools: Mapping[Leg, tuple[str, ...]]
    changes: tuple[str, ...]

    @property
    def lethal(self) -> bool:
        """Whether all three legs are there."""
        return all(self.tools[leg] for leg in Leg)

    def __str__(self) -> str:
        """The verdict in lines for a person."""
        width = max(len(leg.value) for leg in Leg)
        rows = [f"  {leg.value:<{width}}  {', '.join(self.tools[leg]) or 'nothing'}" for leg in Leg]
        lacking = [leg.value for leg in Leg if not self.tools[leg]]
        verdict = f"not lethal: no {', no '.join(lacking)}" if lacking else "LETHAL: all three legs"
        note = [f"  not judged: who uses what {', '.join(self.changes)} changed"]
        return "\n".join([f"{self.name}: {verdict}", *rows, *(note if self.changes else [])])


def trifecta(agent: Agent) -> Verdict:
    """The verdict for an agent with all that it can ask."""
    every = agent.every
    tools = {leg: tuple(n for n, adds in every.items() if leg in adds.legs) for leg in Leg}
    changes = tuple(name for name, adds in every.items() if adds.changes)
    return Verdict(agent.persona.name, tools, changes)
