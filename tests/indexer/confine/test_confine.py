"""Confinement: what the tables and the kernel's program say, and what the kernel then does."""

import errno
import os
import platform
import re
import resource
import socket
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from indexer.confine import (
    NO_SOCKETS,
    Allow,
    Arg,
    Calls,
    Denial,
    bpf,
    landlock,
    one_peer,
    parser_calls,
)
from indexer.confine.bpf import seccomp_program
from indexer.confine.syscalls import (
    AARCH64,
    ARCHITECTURES,
    LAST_JUDGED,
    X86_64,
    Architecture,
    names,
    number,
)
from indexer.confine.system import interpreter_files, system_files
from tests.indexer.confine import test_kernel_answers as spec
from tests.support.sealed_child import KILLED, python


def verdict(program: Sequence[bpf.Instruction], data: bytes) -> int:
    """What the program returns for a struct seccomp_data; falls off the end: IndexError."""
    accumulator = at = 0
    while True:
        code, jump_true, jump_false, k = program[at]
        at += 1
        if code == bpf.LOAD:
            (accumulator,) = struct.unpack_from("=I", data, k)
        elif code == bpf.AND:
            accumulator &= k
        elif code == bpf.JUMP_EQUAL:
            at += jump_true if accumulator == k else jump_false
        elif code == bpf.JUMP_ABOVE:
            at += jump_true if accumulator > k else jump_false
        elif code == bpf.RETURN:
            return k
        else:
            raise ValueError(f"unknown instruction {code:#x}")


def call(
    program: Sequence[bpf.Instruction], arch: Architecture, name: str | int, *arguments: int
) -> int | str | None:
    """The errno that a system call fails with, "killed", or None where it goes through."""
    nr = name if isinstance(name, int) else number(name, arch)
    assert nr is not None, f"{arch.machine} has no {name}"
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    returned = verdict(program, struct.pack("=IIQ6Q", nr, arch.audit, 0, *padded))
    if returned == bpf.ALLOW:
        return None
    if returned == bpf.KILL_PROCESS:
        return "killed"
    assert returned & 0xFFFF0000 == bpf.FAIL_WITH
    return returned & 0xFFFF


EPERM, ENOSYS = errno.EPERM, errno.ENOSYS
UNIX, INET, INET6 = socket.AF_UNIX, socket.AF_INET, socket.AF_INET6
STREAM, DGRAM = socket.SOCK_STREAM, socket.SOCK_DGRAM
EVERY = (INET, INET6, UNIX, socket.AF_NETLINK)

either_machine = pytest.mark.parametrize("arch", ARCHITECTURES.values(), ids=list(ARCHITECTURES))


# -- the program, read and interpreted ------------------------------------------------------------


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
@pytest.mark.parametrize("peer", [INET, INET6, UNIX])
def test_one_family_of_streams_is_a_peers_and_no_other(arch, peer):
    program = seccomp_program(one_peer(peer), arch)
    for family in EVERY:
        assert call(program, arch, "socket", family, STREAM) == (EPERM, None)[family == peer]
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
    denied = {number(denial.syscall, arch) for denial in NO_SOCKETS.denied}
    assert not denied & (always | some) - {None}
    for nr in range(LAST_JUDGED + 1):
        expected = None if nr in always else EPERM if nr in denied else ENOSYS
        if nr not in some:
            assert call(program, arch, nr) == expected


def test_all_tests_of_an_alternative_must_hold_and_one_alternative_is_enough():
    one = Allow("ioctl", (Arg(0, 7), Arg(1, 8, negate=True)))
    other = Allow("ioctl", (Arg(2, wide=True), Arg(3, 1, mask=3)))
    program = seccomp_program(Calls((one, other, Allow("listen")), (Denial("bind", 5),)), X86_64)
    assert call(program, X86_64, "ioctl", 7, 9, 1) is None
    assert call(program, X86_64, "ioctl", 6, 9, 1) == EPERM
    assert call(program, X86_64, "ioctl", 7, 8, 1) == EPERM
    assert call(program, X86_64, "ioctl", 6, 8, 0, 5) is None
    assert call(program, X86_64, "ioctl", 6, 8, 1 << 32, 5) == EPERM
    assert call(program, X86_64, "ioctl", 6, 8, 0, 6) == EPERM
    assert call(program, X86_64, "listen") is None  # the number is loaded again after the tests
    assert call(program, X86_64, "bind") == 5
    assert call(program, X86_64, "read") == ENOSYS


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
    known = {name: number(name, arch) for name in names() if name in defined}
    assert known == {name: defined[name] for name in known}
    missing = set(names()) - set(known)
    newer = {name for name in missing if (number(name, arch) or 0) > max(defined.values())}
    assert all(number(name, arch) is None for name in missing - newer), missing - newer


# -- Landlock's structures ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("abi", "length"), [(1, 8), (2, 8), (3, 8), (4, 16), (5, 16), (6, 24), (7, 24)]
)
def test_a_ruleset_handles_everything_that_its_abi_knows(abi, length):
    attr = landlock.ruleset(abi)
    assert len(attr) == length
    bits = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16, 7: 16}[abi]
    assert attr[:8] == ((1 << bits) - 1).to_bytes(8, "little")
    assert all(part == 3 for part in attr[8::8])  # both rights, both scopes


@pytest.mark.parametrize("abi", range(1, 8))
@pytest.mark.parametrize("access", ["read", "execute", "list", "write", "device"])
def test_a_rule_never_names_a_right_that_the_kernel_does_not_know(abi, access):
    folder = landlock.rights(access, abi, folder=True)
    file = landlock.rights(access, abi, folder=False)
    assert folder & ~landlock.handled_fs(abi) == 0
    assert file & landlock.READ_DIR == 0 == file & landlock.MAKE_REG


def test_reading_gives_no_right_to_change_or_start_anything():
    allowed = landlock.rights("read", 7, folder=True)
    assert allowed == landlock.READ_FILE | landlock.READ_DIR


def test_an_old_kernel_says_what_it_leaves_open():
    assert landlock.not_covered(7) == landlock.not_covered(6) == ()
    assert "signals" in landlock.not_covered(5)[0]
    assert len(landlock.not_covered(1)) == 3


def test_only_the_null_device_and_a_gpu_that_was_asked_for_can_be_written():
    assert [str(rule.path) for rule in system_files() if rule.access == "device"] == ["/dev/null"]
    assert {"/dev/dri", "/dev/kfd"} <= {str(rule.path) for rule in system_files(gpu=True)}
    assert not any(
        rule.access == "write" for rule in (*system_files(gpu=True), *interpreter_files())
    )


def test_every_system_file_has_a_reason_and_none_is_private():
    home = Path.home()
    for rule in system_files(gpu=True):
        assert rule.reason
        assert rule.path not in (Path("/"), Path("/etc"), Path("/dev"), Path("/run"))
        assert rule.path != Path("/proc") or rule.access == "list"
        assert not rule.path.is_relative_to(home) or home == Path("/")


# -- what the kernel does -------------------------------------------------------------------------


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
    for abi in (1, 2, 7):
        precious.write_text("text")
        found = python(code, precious, abi)
        assert found == {
            "truncate": "EPERM",
            "read-only": "EPERM",
            "mode 3": "EPERM",
            "write": "EACCES",
            "store": 4,
            "chmod": "EPERM",
        }
        assert precious.read_text() == "text"
    found = python(code, precious, 0)
    assert precious.read_text() == ""
    assert found["truncate"] is None
    assert found["read-only"] == 0


@pytest.mark.slow
def test_a_worker_opens_nothing_outside_its_folder(tmp_path):
    inside, outside = tmp_path / "corpus", tmp_path / "private"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "file.txt").write_text("words")
    (inside / "link.txt").symlink_to(outside / "file.txt")
    code = """
    from indexer.confine import *
    inside, outside, held = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "confined"
    if held:
        rules = (FileRule(inside, required=True), *system_files(), *interpreter_files())
        confine(Policy(files=rules))
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
    held = python(code, inside, outside, "confined")
    assert held.pop("inside") == "words"
    assert held.pop("socket") == "EPERM"
    assert set(held.values()) == {"EACCES"}, held
    free = python(code, inside, outside, "free")
    assert free == {
        "inside": "words",
        "outside": "words",
        "link": "words",
        "listing": 1,
        "up": "words",
        "writing": 5,
        "removing": None,
        "program": 0,
        "socket": None,
    }


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
def test_a_thread_that_runs_already_loses_its_sockets(tmp_path):
    code = """
    from indexer.confine import *
    go, done = threading.Event(), threading.Event()
    def work():
        go.wait()
        attempt("thread", lambda: socket.socket().close())
        done.set()
    threading.Thread(target=work).start()
    if sys.argv[1] == "held":
        restrict_syscalls(NO_SOCKETS)
    go.set(); done.wait()
    """
    assert python(code, "held") == {"thread": "EPERM"}
    assert python(code, "free") == {"thread": None}


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
    free = python(code, "free")
    if not free["same"]:
        pytest.skip("this kernel was built without 32-bit system calls")
    python(code, "held", ends=KILLED)


@pytest.mark.slow
def test_the_terminal_cannot_be_typed_into():
    code = """
    import fcntl, termios
    from indexer.confine import *
    _, terminal = os.openpty()
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    if sys.argv[1] == "held":
        restrict_syscalls(NO_SOCKETS)
    attempt("typing", lambda: len(fcntl.ioctl(terminal, termios.TIOCSTI, b"x")))
    """
    assert python(code, "held") == {"typing": "EPERM"}
    # A kernel that has this switched off for users says EIO: not the filter's answer either.
    assert python(code, "free")["typing"] in (1, "EIO")


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
def test_limits_hold_at_the_limit_and_past_it(tmp_path):
    code = """
    import mmap, resource, signal
    from indexer.confine import *
    MiB, path = 2**20, Path(sys.argv[1]) / "out"
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    rules = (FileRule(Path(sys.argv[1]), "write"), *system_files(), *interpreter_files())
    limits = Limits(address_space_bytes=512 * MiB, cpu_seconds=50, file_bytes=MiB, open_files=32)
    if sys.argv[2] == "held":
        confine(Policy(files=rules, limits=limits))
    outcome["soft"] = [resource.getrlimit(which)[0] for which in
                       (resource.RLIMIT_CPU, resource.RLIMIT_CORE)]
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
    held = python(code, tmp_path, "held")
    core = min(1, resource.getrlimit(resource.RLIMIT_CORE)[1] % (1 << 64))
    assert held == {"soft": [50, core], "memory": "ok", "more memory": "ENOMEM", "file": 2**20,
                    "longer file": "EFBIG", "files": "EMFILE"}  # fmt: skip
    free = python(code, tmp_path, "free")
    assert free["more memory"] == "ok"
    assert free["longer file"] == 1
    assert free["files"] == 40


@pytest.mark.slow
def test_a_child_that_was_started_later_is_confined_too(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("words")
    code = """
    from indexer.confine import *
    if sys.argv[2] == "held":
        confine(Policy(files=(*system_files(), *interpreter_files())))
    child = (
        "import errno, socket, sys\\n"
        "for action in (socket.socket, lambda: open(sys.argv[1])):\\n"
        "    try:\\n"
        "        action(); print('ok')\\n"
        "    except OSError as error:\\n"
        "        print(errno.errorcode[error.errno])"
    )
    outcome["child"] = subprocess.run(
        [sys.executable, "-c", child, sys.argv[1]], stdout=subprocess.PIPE, text=True
    ).stdout.split()
    """
    assert python(code, secret, "held") == {"child": ["EPERM", "EACCES"]}
    assert python(code, secret, "free") == {"child": ["ok", "ok"]}


@pytest.mark.slow
def test_a_process_ends_with_the_parent_that_it_named(tmp_path):
    code = """
    import time
    from indexer.confine import die_with_parent
    ready, go = os.pipe()
    middle = os.fork()
    if middle == 0:
        child = os.fork()
        if child == 0:
            if sys.argv[1] == "held":
                die_with_parent(os.getppid())
            os.write(go, b"%d" % os.getpid())
            time.sleep(60)
            os._exit(0)
        time.sleep(60)
        os._exit(0)
    child = int(os.read(ready, 20))
    os.kill(middle, 9)
    os.waitpid(middle, 0)
    def alive():
        try:
            return Path(f"/proc/{child}/stat").read_text().rsplit(")")[1].split()[0] != "Z"
        except OSError:
            return False
    deadline = time.monotonic() + (20 if sys.argv[1] == "held" else 0.5)
    while alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    outcome["alive"] = alive()
    if alive():
        os.kill(child, 9)
    """
    assert python(code, "held") == {"alive": False}
    assert python(code, "free") == {"alive": True}


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


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("confine(Policy(calls=everything))", "still opens AF_INET sockets"),
        ("restrict_syscalls(everything)", "still opens AF_INET sockets"),
        ("restrict_syscalls(Calls(everything.allowed, (), 2))", "still opens AF_INET6 sockets"),
        ("confine(Policy(files=(FileRule(Path('/'), 'list'),)))", "still lists '/'"),
        (
            "confine(Policy(files=(FileRule(Path('/dev'), 'write'),), whole_disk=True))",
            "still writes to /dev/zero",
        ),
    ],
)
def test_whoever_confines_itself_notices_what_does_not_bite(how, says):
    # The program, its parsers, the broker, the model server and ripgrep all confine by these two.
    code = f"""
    from indexer.confine import *
    from indexer.confine.rules import everything_but
    from indexer.confine.syscalls import names
    from indexer.errors import SealUnavailable
    everything = everything_but((), names())
    try:
        {how}
    except SealUnavailable as error:
        outcome["error"] = str(error)
    """
    assert says in python(code)["error"]
