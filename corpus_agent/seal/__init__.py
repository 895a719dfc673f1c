"""The seal: keeps documents on this machine, regardless of what the code that reads them does.

`policy` lists what stays open, `seal` irrevocably closes everything else, `start_broker` keeps one
channel to one model server, `selftest` verifies it. Called in this order: parse, resolve the
model's address, start the broker, seal, and only then import heavy libraries.

Does not stop: the model server, which is another process and is sent passages; text that the user
copies out of the terminal; other users of the machine; kernel bugs. SECURITY.md has the whole list,
with the test of each claim.
"""

from corpus_agent.seal.address import Gate, TcpAddress, UnixAddress
from corpus_agent.seal.broker import Broker, start_broker
from corpus_agent.seal.enforce import Sealed, SealPolicy, policy, seal, unsealed

__all__ = [
    "Broker",
    "Gate",
    "SealPolicy",
    "Sealed",
    "TcpAddress",
    "UnixAddress",
    "policy",
    "seal",
    "start_broker",
    "unsealed",
]
