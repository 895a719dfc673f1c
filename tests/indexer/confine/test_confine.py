"""Confinement: what the tables and the kernel's program say, and what the kernel then does."""

import errno
import os
import platform
import re
import resource
import socket
from pathlib import Path

import pytest

from indexer.confine import (
    NO_SOCKETS,
    Allow,
    Arg,
    Calls,
    Denial,
    landlock,
    one_peer,
    parser_calls,
    program_calls,
    sealed_calls,
)
from indexer.confine.bpf import packed, seccomp_program
from indexer.confine.calls import CLONE_NEW, MSG_FASTOPEN
from indexer.confine.syscalls import AARCH64, ARCHITECTURES, LAST_JUDGED, X86_64, names, number
from indexer.confine.system import interpreter_files, system_files
from tests.support.bpf_machine import call
from tests.support.sealed_child import KILLED, python

EPERM, ENOSYS = errno.EPERM, errno.ENOSYS
GARBAGE = 0xDEADBEEF << 32  # upper half of a register, which the kernel ignores in an int

either_machine = pytest.mark.parametrize("arch", ARCHITECTURES.values(), ids=list(ARCHITECTURES))


@pytest.fixture(params=ARCHITECTURES.values(), ids=list(ARCHITECTURES))
def ask(request):
    """What the program for NO_SOCKETS answers to a call, on each architecture."""
    program = seccomp_program(NO_SOCKETS, request.param)
    return lambda name, *arguments: call(program, request.param, name, *arguments)


# -- the program, read and interpreted ------------------------------------------------------------


@pytest.mark.parametrize("family", [socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, 16, 17, 40])
def test_no_family_of_sockets_can_be_made(ask, family):
    assert ask("socket", family, socket.SOCK_STREAM) == EPERM
    assert ask("socket", family, socket.SOCK_DGRAM) == EPERM


@pytest.mark.parametrize("name", ["connect", "bind", "listen", "accept", "accept4"])
def test_no_socket_can_be_connected_or_served(ask, name):
    assert ask(name, 3, 0xFFFF, 16) == EPERM


@pytest.mark.parametrize("name", ["io_uring_setup", "io_uring_enter", "io_uring_register"])
def test_io_uring_is_denied(ask, name):
    assert Denial(name) in NO_SOCKETS.denied
    assert ask(name) == EPERM


@either_machine
def test_only_who_watches_is_told_of_changes(arch):
    for name in ("inotify_init1", "inotify_add_watch", "inotify_rm_watch"):
        assert call(seccomp_program(NO_SOCKETS, arch), arch, name) == EPERM
        for gpu in (False, True):
            program = seccomp_program(sealed_calls(watching=True, gpu=gpu), arch)
            assert call(program, arch, name) is None


def test_a_unix_stream_pair_can_be_made_and_no_other_pair(ask):
    flags = socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC
    assert ask("socketpair", socket.AF_UNIX, socket.SOCK_STREAM | flags) is None
    assert ask("socketpair", GARBAGE | socket.AF_UNIX, GARBAGE | socket.SOCK_STREAM) is None
    assert ask("socketpair", socket.AF_UNIX, socket.SOCK_DGRAM | flags) == EPERM
    assert ask("socketpair", socket.AF_UNIX, socket.SOCK_RAW) == EPERM  # becomes a datagram pair
    assert ask("socketpair", socket.AF_INET, socket.SOCK_STREAM) == EPERM
    assert ask("socketpair", GARBAGE | socket.AF_INET, socket.SOCK_STREAM) == EPERM


def test_sending_to_an_address_is_denied_and_sending_to_the_peer_is_not(ask):
    assert ask("sendto", 3, 0x7000, 5, 0, 0, 0) is None
    assert ask("sendto", 3, 0x7000, 5, 0, 0x7FFF_0000_1234, 16) == EPERM
    assert ask("sendto", 3, 0x7000, 5, 0, 0x0000_0001_0000_0000, 16) == EPERM  # low word is zero
    assert ask("sendto", 3, 0x7000, 5, 0, 0x1000, 16) == EPERM  # high word is zero


@pytest.mark.parametrize(("name", "position"), [("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)])
def test_a_send_that_would_connect_is_denied(ask, name, position):
    quiet, eager = [3, 0x7000, 1, 0], [3, 0x7000, 1, 0]
    quiet[position] = socket.MSG_NOSIGNAL
    eager[position] = GARBAGE | MSG_FASTOPEN | socket.MSG_NOSIGNAL
    assert ask(name, *quiet) is None
    assert ask(name, *eager) == EPERM


def test_options_below_tcp_are_denied(ask):
    assert ask("setsockopt", 3, socket.IPPROTO_TCP, socket.TCP_NODELAY) is None
    assert ask("setsockopt", 3, socket.SOL_SOCKET, socket.SO_KEEPALIVE) is None
    assert ask("setsockopt", 3, socket.IPPROTO_IP, 4) == EPERM
    assert ask("setsockopt", 3, socket.IPPROTO_IPV6, 57) == EPERM


def test_threads_and_processes_can_be_started_but_no_namespace(ask):
    thread = 0x3D0F00  # what the C library passes for a thread
    assert ask("clone", thread) is None
    assert ask("clone", 17) is None  # fork: SIGCHLD
    assert [ask("clone", 17 | flag) for flag in CLONE_NEW] == [EPERM] * len(CLONE_NEW)
    assert ask("clone3") == ENOSYS
    assert ask("unshare") == ask("setns") == ask("mount") == EPERM


@either_machine
def test_a_parser_can_start_threads_and_no_process(arch):
    program = seccomp_program(parser_calls(77), arch)
    thread = 0x3D0F00  # what the C library passes for a thread
    assert call(program, arch, "clone", thread) is None
    assert call(program, arch, "clone", 17) == EPERM  # fork: SIGCHLD
    assert call(program, arch, "clone", 0x4100 | 17) == EPERM  # vfork: VM and VFORK too
    assert call(program, arch, "execve") == call(program, arch, "execveat") == EPERM
    if arch is X86_64:
        assert call(program, arch, "fork") == call(program, arch, "vfork") == EPERM


@either_machine
def test_a_parser_sends_signals_to_itself_alone(arch):
    for calls in (parser_calls(77), program_calls(77)):
        program = seccomp_program(calls, arch)
        for name in ("kill", "tgkill"):
            assert call(program, arch, name, 77, 77, 6) is None
            for other in (78, 0, 1, 0xFFFFFFFF):
                assert call(program, arch, name, other, other, 6) == EPERM
        assert call(program, arch, "tkill", 77, 6) == EPERM  # a thread of any process


def test_a_signal_goes_to_one_process_and_not_to_a_group_or_to_all(ask):
    assert ask("kill", 77, 9) is None
    for group in (0, 0xFFFFFFFF, GARBAGE | 0xFFFFFFFF, 0xFFFFFF00):
        assert ask("kill", group, 9) == EPERM
    for name in ("pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
        assert ask(name, 77) == EPERM


def test_limits_and_priorities_are_ones_own(ask):
    new, old = 0x7FFF_0000_1234, 0x7FFF_0000_5678
    assert ask("prlimit64", 0, 7, new, old) is None  # pid 0: this process
    assert ask("prlimit64", 77, 7, new, 0) == EPERM
    assert ask("prlimit64", 77, 7, 0, old) == EPERM
    assert ask("sched_setaffinity", 0, 8, new) is None
    assert ask("sched_setaffinity", 77, 8, new) == EPERM
    assert ask("setpriority", 0, 0, 5) is None
    for which, who in ((0, 77), (1, 0), (2, 0)):  # another process, a group, a user
        assert ask("setpriority", which, who, 5) == EPERM
    for name in ("sched_setparam", "sched_setscheduler", "sched_setattr", "ioprio_set"):
        assert ask(name, 0) == ask(name, 77) == EPERM


@pytest.mark.parametrize(
    "name",
    [
        "shmget", "shmat", "shmdt", "shmctl", "semget", "semop", "semtimedop", "semctl",
        "msgget", "msgsnd", "msgrcv", "msgctl",
        "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr",
    ],
)  # fmt: skip
def test_the_channels_of_system_v_and_posix_are_closed_whole(ask, name):
    assert ask(name) == ask(name, 1, 2, 3) == EPERM


def test_no_descriptor_is_told_to_send_signals_to_another(ask):
    set_owner, set_owner_ex, set_signal = 8, 15, 10
    for command in (set_owner, set_owner_ex, set_signal):
        assert ask("fcntl", 3, command, 77) == EPERM
    assert ask("fcntl", 3, 1030, 3) is None  # F_DUPFD_CLOEXEC
    set_group, of_socket, set_async = 0x8901, 0x8902, 0x5452
    for command in (set_group, of_socket, set_async):
        assert ask("ioctl", 3, command) == EPERM


def test_this_process_cannot_be_opened_to_another(ask):
    set_tracer, core_scheduling, set_dumpable = 0x59616D61, 62, 4
    for option in (set_tracer, core_scheduling, set_dumpable):
        assert ask("prctl", option, 1) == EPERM
    assert ask("prctl", 15) is None  # PR_SET_NAME


def test_a_gpu_is_asked_anything_and_a_terminal_or_socket_no_more_than_before():
    program = seccomp_program(sealed_calls(gpu=True), X86_64)
    nvidia, kfd, uvm = 0xC0484600 | 0x2A, 0x4B01, 0x30000001
    for command in (nvidia, kfd, uvm, 0x5401):
        assert call(program, X86_64, "ioctl", 3, command) is None
    assert call(seccomp_program(NO_SOCKETS, X86_64), X86_64, "ioctl", 3, nvidia) == EPERM
    for command in (0x5412, 0x541C, 0x8927, 0x8914):  # TIOCSTI TIOCLINUX SIOCGIFHWADDR SIOCSIFFLAGS
        assert call(program, X86_64, "ioctl", 3, command) == EPERM


def test_other_processes_cannot_be_read_or_robbed_of_descriptors(ask):
    for name in ("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd"):
        assert ask(name) == EPERM


def test_truncating_needs_the_right_to_write(ask):
    assert ask("openat", 3, 0x7000, os.O_RDONLY | os.O_TRUNC) == EPERM
    assert ask("openat", 3, 0x7000, 3 | os.O_TRUNC) == EPERM  # access mode 3: neither is asked for
    assert ask("openat", 3, 0x7000, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) is None
    assert ask("openat", 3, 0x7000, os.O_RDONLY | os.O_CLOEXEC) is None
    assert ask("truncate") == EPERM
    assert ask("openat2") == ENOSYS


def test_typing_into_the_terminal_is_denied(ask):
    tcgets, tiocsti, tioclinux = 0x5401, 0x5412, 0x541C
    assert ask("ioctl", 0, tcgets) is None
    assert ask("ioctl", 0, tiocsti) == EPERM
    assert ask("ioctl", 0, GARBAGE | tiocsti) == EPERM
    assert ask("ioctl", 0, tioclinux) == EPERM


def test_calls_that_nobody_judged_do_not_exist(ask):
    assert ask(LAST_JUDGED) is None
    assert ask(LAST_JUDGED + 1) == ENOSYS


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


def test_x32_calls_do_not_exist():
    x32 = 0x40000000
    program = seccomp_program(NO_SOCKETS, X86_64)
    assert call(program, X86_64, x32 | 41, socket.AF_INET) == ENOSYS
    assert call(program, X86_64, x32 | 0) == ENOSYS


def test_a_foreign_architecture_is_killed():
    assert call(seccomp_program(NO_SOCKETS, X86_64), AARCH64, 64) == "killed"
    assert call(seccomp_program(NO_SOCKETS, AARCH64), X86_64, 1) == "killed"


@either_machine
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6, socket.AF_UNIX])
def test_one_peer_opens_stream_sockets_of_its_family_only(arch, family):
    program = seccomp_program(one_peer(family), arch)
    for other in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):
        expected = None if other == family else EPERM
        assert call(program, arch, "socket", other, socket.SOCK_STREAM) == expected
    assert call(program, arch, "socket", family, socket.SOCK_DGRAM) == EPERM
    assert call(program, arch, "connect", 3) is None
    for name in ("bind", "accept4", "io_uring_setup", "ptrace", "execve", "kill", "mkdirat"):
        assert call(program, arch, name, 3) == EPERM


@either_machine
def test_a_server_listens_and_never_connects(arch):
    program = seccomp_program(one_peer(socket.AF_UNIX, serve=True), arch)
    for name in ("bind", "listen", "accept", "accept4", "execve"):
        assert call(program, arch, name, 3) is None
    assert call(program, arch, "socket", socket.AF_UNIX, socket.SOCK_STREAM) is None
    assert call(program, arch, "socket", socket.AF_UNIX, socket.SOCK_DGRAM) == EPERM
    for name in ("connect", "kill", "tgkill", "ptrace", "seccomp"):
        assert call(program, arch, name, 3) == EPERM
    assert call(program, arch, "clone", 17) == EPERM  # fork


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


def test_an_alternative_without_tests_lets_everything_through():
    program = seccomp_program(Calls((Allow("ioctl", (Arg(0, 7),)), Allow("ioctl"))), X86_64)
    assert call(program, X86_64, "ioctl", 6) is None


def test_a_misspelt_call_is_an_error():
    with pytest.raises(KeyError, match="io_urnig_setup"):
        seccomp_program(Calls((), (Denial("io_urnig_setup"),)), X86_64)


def test_the_program_fits_the_kernels_limit():
    program = seccomp_program(sealed_calls(gpu=True), X86_64)
    assert len(program) < 4096  # BPF_MAXINSNS
    assert len(packed(program)) == 8 * len(program)


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

CONFINE = """
from indexer.confine import *
files = interpreter_files() + system_files()
"""


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


def test_file_rules_are_refused_while_other_threads_run():
    code = """
    from indexer.errors import SealUnavailable
    from indexer.confine import *
    stop = threading.Event()
    threading.Thread(target=stop.wait).start()
    try:
        confine(Policy())
    except SealUnavailable as error:
        outcome["error"] = str(error)
    stop.set()
    """
    assert "2 threads run in this process" in python(code)["error"]


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


def test_the_rules_for_the_whole_disk_are_those_of_a_search_in_its_root_alone(tmp_path):
    from indexer.confine.program import reading_policy

    for folder, whole in (("/", True), (tmp_path, False)):
        descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        assert reading_policy(descriptor, "/bin/true").whole_disk is whole
        os.close(descriptor)
