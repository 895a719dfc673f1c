"""The seal: what keeps documents on this machine whatever the code that reads them tries to do.

`policy` says what stays open, `seal` closes everything else for good, `start_broker` leaves one way
to one model server, `selftest` shows that it holds. Called by `cli`, in this order: parse, resolve
the model's address, start the broker, seal, and only then import what is heavy.

Does not stop: the model server, which is another process and is sent passages; what a person
copies out of the terminal; other users of the machine; faults of the kernel. SECURITY.md has the
whole list, with the test that proves each claim.
"""

from corpus_agent.seal.address import TcpAddress, UnixAddress
from corpus_agent.seal.broker import Broker, start_broker
from corpus_agent.seal.enforce import Sealed, seal, unsealed
from corpus_agent.seal.gate import Gate
from corpus_agent.seal.policy import SealPolicy, policy

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
