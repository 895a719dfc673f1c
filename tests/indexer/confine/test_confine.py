"""Confinement: what the tables and the kernel's program say, and what the kernel then does."""

import errno
import os
import platform
import re
import socket
import struct
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

from indexer.confine import (
    NO_SOCKETS,
    Allow,
    Arg,
    Calls,
    interpreter_files,
    kernel,
    one_peer,
    parser_calls,
    syscalls,
    system_files,
)
from indexer.confine.syscalls import (
    AARCH64,
    ARCHITECTURES,
    LAST_JUDGED,
    NUMBERS,
    X86_64,
    Architecture,
    number,
    seccomp_program,
)
from tests.indexer.confine import test_kernel_answers as spec
from tests.support.sealed_child import KILLED, PROLOGUE, python, run


def verdict(program: Sequence[syscalls.Instruction], data: bytes) -> int:
    """What the program returns for a struct seccomp_data; falls off the end: IndexError."""
    accumulator = at = 0
    while True:
        code, jump_true, jump_false, k = program[at]
        at += 1
        if code == syscalls.LOAD:
            (accumulator,) = struct.unpack_from("=I", data, k)
        elif code == syscalls.AND:
            accumulator &= k
        elif code == syscalls.JUMP_EQUAL:
            at += jump_true if accumulator == k else jump_false
        elif code == syscalls.JUMP_ABOVE:
            at += jump_true if accumulator > k else jump_false
        elif code == syscalls.RETURN:
            return k
        else:
            raise ValueError(f"unknown instruction {code:#x}")


def call(
    program: Sequence[syscalls.Instruction], arch: Architecture, name: str | int, *arguments: int
) -> int | str | None:
    """The errno that a system call fails with, "killed", or None where it goes through."""
    nr = name if isinstance(name, int) else number(name, arch)
    assert nr is not None, f"{arch.machine} has no {name}"
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    returned = verdict(program, struct.pack("=IIQ6Q", nr, arch.audit, 0, *padded))
    if returned == syscalls.ALLOW:
        return None
    if returned == syscalls.KILL_PROCESS:
        return "killed"
    assert returned & 0xFFFF0000 == syscalls.FAIL_WITH
    return returned & 0xFFFF


EPERM, ENOSYS = errno.EPERM, errno.ENOSYS
UNIX, INET, INET6 = socket.AF_UNIX, socket.AF_INET, socket.AF_INET6
STREAM, DGRAM = socket.SOCK_STREAM, socket.SOCK_DGRAM
EVERY = (INET, INET6, UNIX, socket.AF_NETLINK)

either_machine = pytest.mark.parametrize("arch", ARCHITECTURES.values(), ids=list(ARCHITECTURES))


@either_machine
def test_the_program_answers_every_call_as_the_documents_say(arch):
    """As the kernel does on this machine, see test_kernel_answers; here for the other one too."""

    def interpreted(calls, asked):
        program = seccomp_program(calls, arch)
        found = [call(program, arch, name, *values) for name, values in asked]
        return [spec.THROUGH if answer is None else answer for answer in found]

    page = spec.written()
    for kind in spec.TABLES:
        found = spec.wrong(kind, page[kind.removesuffix("+gpu")], arch, interpreted)
        assert (found["wrong"], found["probes"] > 5000) == ([], True), kind


@either_machine
def test_one_family_of_streams_is_a_peers_and_no_other(arch):
    for peer in (INET, INET6, UNIX):
        program = seccomp_program(one_peer(peer), arch)
        for family in EVERY:
            expected = (EPERM, None)[family == peer]
            assert call(program, arch, "socket", family, STREAM) == expected
        assert call(program, arch, "socket", peer, DGRAM) == EPERM
        assert call(program, arch, "connect", 3) is None


def test_calls_of_one_architecture_alone_are_denied():
    program = seccomp_program(parser_calls(77), X86_64)
    assert call(program, X86_64, "fork") == call(program, X86_64, "vfork") == EPERM
    x32 = 0x40000000
    program = seccomp_program(NO_SOCKETS, X86_64)
    assert call(program, X86_64, x32 | 41, INET) == call(program, X86_64, x32 | 0) == ENOSYS
    assert call(program, AARCH64, 64) == "killed"
    assert call(seccomp_program(NO_SOCKETS, AARCH64), X86_64, 1) == "killed"


@either_machine
def test_what_is_in_no_table_does_not_exist_and_what_is_in_one_does_as_it_says(arch):
    program = seccomp_program(NO_SOCKETS, arch)
    always = {number(allow.syscall, arch) for allow in NO_SOCKETS.allowed if not allow.when}
    some = {number(allow.syscall, arch) for allow in NO_SOCKETS.allowed if allow.when}
    denied = {number(name, arch) for name in NO_SOCKETS.denied}
    assert not denied & (always | some) - {None}
    for nr in range(LAST_JUDGED + 1):
        expected = None if nr in always else EPERM if nr in denied else ENOSYS
        if nr not in some:
            assert call(program, arch, nr) == expected


def test_all_tests_of_an_alternative_must_hold_and_one_alternative_is_enough():
    one = Allow("ioctl", (Arg(0, 7), Arg(1, 8, negate=True)))
    other = Allow("ioctl", (Arg(2, wide=True), Arg(3, 1, mask=3)))
    calls = Calls((one, other, Allow("listen")), ("bind",), errno=5)
    program = seccomp_program(calls, X86_64)
    for expected, *asked in (
        (None, "ioctl", 7, 9, 1),
        (EPERM, "ioctl", 6, 9, 1),
        (EPERM, "ioctl", 7, 8, 1),
        (None, "ioctl", 6, 8, 0, 5),
        (EPERM, "ioctl", 6, 8, 1 << 32, 5),
        (EPERM, "ioctl", 6, 8, 0, 6),
        (None, "listen"),  # the number is loaded again after the tests
        (5, "bind"),
        (ENOSYS, "read"),
    ):
        assert call(program, X86_64, *asked) == expected, asked


HEADERS = {
    X86_64: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    AARCH64: Path("/usr/include/asm-generic/unistd.h"),
}


@either_machine
def test_the_numbers_are_those_of_the_kernels_headers(arch):
    header = HEADERS[arch]
    if not header.exists():
        pytest.skip(f"{header} is not installed")
    found = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text(), re.MULTILINE)
    defined = {name: int(value) for name, value in found if name != "syscalls"}
    defined.setdefault("newfstatat", defined.get("fstatat"))  # two names for one number
    known = {name: number(name, arch) for name in NUMBERS if name in defined}
    assert known == {name: defined[name] for name in known}
    missing = set(NUMBERS) - set(known)
    newer = {name for name in missing if (number(name, arch) or 0) > max(defined.values())}
    assert all(number(name, arch) is None for name in missing - newer), missing - newer


# The bits of linux/landlock.h that each access gives in a folder; of a file alone, those of a file.
RIGHTS = {
    "list": {3},
    "read": {2, 3},
    "execute": {0, 2, 3},
    "write": {1, 2, 3, 4, 5, 7, 8, 9, 13, 14},
    "device": {1, 2, 3, 15},
}
OF_A_FILE = {0, 1, 2, 14, 15}


def test_a_ruleset_handles_everything_that_its_abi_knows_and_a_rule_no_more():
    lengths, bits = (8, 8, 8, 16, 16, 24, 24), (13, 14, 15, 15, 16, 16, 16)
    for abi, (length, rights) in enumerate(zip(lengths, bits, strict=True), start=1):
        attr = kernel.ruleset(abi)
        assert len(attr) == length
        assert attr[:8] == ((1 << rights) - 1).to_bytes(8, "little")
        assert all(part == 3 for part in attr[8::8])  # both rights, both scopes
        for access, given in RIGHTS.items():
            for folder, bits in ((True, given), (False, given & OF_A_FILE)):
                known = sum(1 << bit for bit in bits if bit < rights)
                assert kernel.rights(access, abi, folder=folder) == known, (access, abi)


def test_an_old_kernel_says_what_it_leaves_open():
    assert kernel.not_covered(7) == kernel.not_covered(6) == ()
    assert "signals" in kernel.not_covered(5)[0]
    assert len(kernel.not_covered(1)) == 3


def test_of_the_system_little_is_written_and_every_file_has_a_reason_and_none_is_private():
    devices = [str(rule.path) for rule in system_files() if rule.access == "device"]
    assert devices == ["/dev/null"]
    with_gpu = system_files(gpu=True)
    assert {"/dev/dri", "/dev/kfd"} <= {str(rule.path) for rule in with_gpu}
    assert not any(rule.access == "write" for rule in (*with_gpu, *interpreter_files()))
    home = Path.home()
    for rule in with_gpu:
        assert rule.reason
        assert rule.path not in (Path("/"), Path("/etc"), Path("/dev"), Path("/run"))
        assert rule.path != Path("/proc") or rule.access == "list"
        assert not rule.path.is_relative_to(home) or home == Path("/")


# Each piece of code confines itself if it is `held`; run again without, it is the control.
_BEGIN = """
from indexer.confine import *
held, folder = sys.argv[1] == "held", Path(sys.argv[2])
own = (*system_files(), *interpreter_files())
"""
WORKER = """
inside, outside = folder / "corpus", folder / "private"
if held:
    confine(Policy(files=(FileRule(inside, required=True), *own)))
attempt("inside", (inside / "file.txt").read_text)
attempt("outside", (outside / "file.txt").read_text)
attempt("link", (inside / "link.txt").read_text)
attempt("listing", lambda: len(os.listdir(outside)))
attempt("up", (inside / ".." / "private" / "file.txt").read_text)
attempt("writing", (inside / "new.txt").write_text, "words")
attempt("removing", (inside / "file.txt").unlink)
attempt("program", lambda: subprocess.run(["/bin/true"], check=True).returncode)
attempt("socket", lambda: socket.socket().close())
"""
_NOT_OUTSIDE = ("outside", "link", "listing", "up", "writing", "removing", "program")
LIMITS = """
import mmap, resource, signal
MiB, path = 2**20, folder / "out"
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limits = Limits(address_space_bytes=512 * MiB, file_bytes=MiB, open_files=32)
if held:
    confine(Policy(files=(FileRule(folder, "write"), *own), limits=limits))
    outcome["core"] = resource.getrlimit(resource.RLIMIT_CORE)[0] <= 1
def mapped(size):
    mmap.mmap(-1, size).close()
    return "ok"
attempt("memory", mapped, 64 * MiB)
attempt("more memory", mapped, 512 * MiB)
attempt("file", path.write_bytes, bytes(MiB))
def longer():
    with path.open("ab") as file:
        return file.write(b"x")
attempt("longer file", longer)
files = []
def fill():
    while len(files) < 40:
        files.append(os.open("/dev/null", os.O_RDONLY))
    return len(files)
attempt("files", fill)
"""
KERNEL = {
    "a worker opens nothing outside its folder": (
        WORKER,
        {"inside": "words", "socket": "EPERM", **dict.fromkeys(_NOT_OUTSIDE, "EACCES")},
        dict.fromkeys(("inside", "outside", "link", "up"), "words")
        | {"listing": 1, "writing": 5, "removing": None, "program": 0, "socket": None},
    ),
    "limits hold at the limit and past it": (
        LIMITS,
        {"core": True, "memory": "ok", "more memory": "ENOMEM", "file": 2**20}
        | {"longer file": "EFBIG", "files": "EMFILE"},
        {"memory": "ok", "more memory": "ok", "file": 2**20, "longer file": 1, "files": 40},
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", KERNEL)
def test_what_is_confined_cannot_and_what_is_not_can(case, tmp_path):
    code, *expected = KERNEL[case]
    for name in ("corpus", "private"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file.txt").write_text("words")
    (tmp_path / "corpus/link.txt").symlink_to(tmp_path / "private/file.txt")
    assert [python(_BEGIN + code, how, tmp_path) for how in ("held", "free")] == expected


@pytest.mark.slow
def test_an_old_kernels_file_rules_keep_files_whole(tmp_path):
    # Rules as ABI 1 knows them: no right to truncate. The system call table has to hold.
    precious = tmp_path / "precious.txt"
    code = """
    from indexer.confine import *
    from indexer.confine import kernel
    path, abi = sys.argv[1], int(sys.argv[2])
    rules = (FileRule(Path(path)), FileRule(Path(path).parent / "store", "write"))
    if abi:
        kernel._no_new_privileges()
        kernel._restrict_files(Policy(files=rules), kernel.architecture(), abi)
        kernel._restrict_syscalls(NO_SOCKETS, kernel.architecture())
    def truncated(flags):
        os.close(os.open(path, flags | os.O_TRUNC))
        return os.path.getsize(path)
    attempt("truncate", os.truncate, path, 0)
    attempt("read-only", truncated, os.O_RDONLY)
    attempt("mode 3", truncated, 3)
    attempt("write", truncated, os.O_WRONLY)
    attempt("store", (Path(path).parent / "store" / "new").write_text, "text")
    attempt("chmod", os.chmod, path, 0o777)
    """
    (tmp_path / "store").mkdir()
    refused = dict.fromkeys(("truncate", "read-only", "mode 3", "chmod"), "EPERM")
    for abi in (1, 2, 7):
        precious.write_text("text")
        assert python(code, precious, abi) == refused | {"write": "EACCES", "store": 4}
        assert precious.read_text() == "text"
    found = python(code, precious, 0)
    assert (precious.read_text(), found["truncate"], found["read-only"]) == ("", None, 0)


@pytest.mark.slow
def test_a_required_path_that_is_missing_stops_and_an_optional_one_stays_closed(tmp_path):
    code = """
    from indexer.errors import SealUnavailable
    from indexer.confine import *
    path, required = Path(sys.argv[1]), sys.argv[2] == "required"
    rules = (FileRule(path, "write", required=required), *system_files(), *interpreter_files())
    try:
        confine(Policy(files=rules))
    except SealUnavailable as error:
        outcome["error"] = str(error)
    attempt("creating", path.mkdir)
    """
    later = tmp_path / "later"
    assert "later" in python(code, later, "required")["error"]
    later.rmdir()  # nothing was confined: the error was the end of it
    assert python(code, later, "optional") == {"creating": "EACCES"}


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != "x86_64", reason="int 0x80 is an x86 instruction")
def test_a_32_bit_system_call_kills_the_process():
    code = """
    import mmap
    from indexer.confine import *
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(bytes.fromhex("b814000000 cd80 c3"))  # mov eax, getpid; int 0x80; ret
    getpid = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    if sys.argv[1] == "held":
        restrict_syscalls(NO_SOCKETS)
    outcome["same"] = getpid() == os.getpid()
    """
    if not python(code, "free")["same"]:
        pytest.skip("this kernel was built without 32-bit system calls")
    assert run(PROLOGUE + textwrap.dedent(code), "held").returncode == KILLED


@pytest.mark.skipif(os.geteuid() != 0, reason="other users have no capabilities to lose")
def test_root_keeps_the_right_to_read_files_and_no_other():
    code = """
    from indexer.confine import *
    def effective():
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("CapEff")), 16)
    outcome["before"] = effective()
    confine(Policy(files=(*system_files(), *interpreter_files())))
    outcome["after"] = effective()
    """
    found = python(code)
    assert found["after"] == found["before"] & 0b1111


@pytest.mark.slow
def test_the_sockets_that_remain_are_plain_pairs():
    code = """
    import asyncio
    from indexer.confine import *
    confine(Policy(files=(*system_files(), *interpreter_files())))
    async def main():
        return await asyncio.to_thread(lambda: 41) + 1
    outcome["asyncio"] = asyncio.run(main())
    one, other = socket.socketpair()
    one.sendall(b"x")
    outcome["pair"] = other.recv(1).decode()
    attempt("datagrams", socket.socketpair, socket.AF_UNIX, socket.SOCK_DGRAM)
    """
    assert python(code) == {"asyncio": 42, "pair": "x", "datagrams": "EPERM"}


IN_VAIN = {
    "confine(Policy(calls=everything))": "still opens AF_INET sockets",
    "restrict_syscalls(everything)": "still opens AF_INET sockets",
    "restrict_syscalls(Calls(everything.allowed, (), 2))": "still opens AF_INET6 sockets",
    "confine(Policy(files=(FileRule(Path('/'), 'list'),)))": "still lists '/'",
    "confine(Policy(files=(FileRule(Path('/dev'), 'write'),), whole_disk=True))": (
        "still writes to /dev/zero"
    ),
}


def test_whoever_confines_itself_notices_what_does_not_bite():
    # The program, its parsers, the broker, the model server and ripgrep all confine by these two.
    code = """
    from indexer.confine import *
    from indexer.confine.syscalls import NUMBERS
    from indexer.errors import SealUnavailable
    everything = Calls(tuple(map(Allow, NUMBERS)))
    try:
        exec(sys.argv[1])
    except SealUnavailable as error:
        outcome["error"] = str(error)
    """
    found = {how: python(code, how).get("error", "") for how in IN_VAIN}
    assert {how: said for how, said in found.items() if IN_VAIN[how] not in said} == {}
