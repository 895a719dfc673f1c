"""Run a command as on a processor that has AVX2 alone: AVX-512, VNNI and AMX are hidden from it.

    python benchmarks/older_processor.py python benchmarks/encode.py --limit 250 --no-index

Libraries choose their kernels by the instruction CPUID. It is made to fault in the command's
processes (Linux on x86-64, where /proc/cpuinfo has cpuid_fault), and is answered without those
flags. Clock, caches and memory stay those of this processor, so that ratios within one run say
more than seconds. Needs a C compiler. Exits with the command's own status.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
# What the command's benchmark names beside the processor.
VARIABLE = "CORPUS_AGENT_HIDDEN_FLAGS"
HIDDEN = ("avx512f", "avx_vnni", "avx512_vnni", "amx_int8")
SEEN_BY = "import numpy._core._multiarray_umath as m; print(m.__cpu_features__['AVX512F'])"


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if "cpuid_fault" not in Path("/proc/cpuinfo").read_text("utf-8"):
        sys.exit("This processor or its host does not let CPUID fault: nothing can be hidden.")
    with tempfile.TemporaryDirectory() as scratch:
        library = Path(scratch, "older_processor.so")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
        shown = os.environ | {"LD_PRELOAD": str(library), VARIABLE: " ".join(HIDDEN)}
        seen = [sys.executable, "-c", SEEN_BY]
        if subprocess.run(seen, env=shown, capture_output=True, check=True).stdout != b"False\n":
            sys.exit("The flags are still seen: nothing was hidden.")
        sys.exit(subprocess.run(sys.argv[1:], env=shown, check=False).returncode)


if __name__ == "__main__":
    main()
