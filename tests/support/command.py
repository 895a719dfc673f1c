"""The type of the fixture `cli`, which runs the real command."""

import subprocess
from collections.abc import Callable

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
