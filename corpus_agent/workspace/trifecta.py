"""Whether an agent could be turned against its user: the verdict over all of its tools.

If an agent reads private data, reads text that others wrote and can send bytes out, that text can
make it send that data. Sub-agents count as part of it, since tasks and answers carry text both
ways. Judges declarations and runs nothing; an undeclared tool counts as one that may do anything.
The model itself, also a remote one, is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from corpus_agent.workspace.personas import Agent
from corpus_agent.workspace.toolset import Leg


@dataclass(frozen=True, slots=True)
class Verdict:
    """The tools that bring each leg, by name; `changes` are those that change files."""

    name: str
    tools: Mapping[Leg, tuple[str, ...]]
    changes: tuple[str, ...]

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
        note = [f"  not judged: who uses what {', '.join(self.changes)} changed"]
        return "\n".join([f"{self.name}: {verdict}", *rows, *(note if self.changes else [])])


def trifecta(agent: Agent) -> Verdict:
    """The verdict for an agent and all agents that it can call."""
    every = agent.every
    tools = {leg: tuple(n for n, adds in every.items() if leg in adds.legs) for leg in Leg}
    changes = tuple(name for name, adds in every.items() if adds.changes)
    return Verdict(agent.persona.name, tools, changes)
