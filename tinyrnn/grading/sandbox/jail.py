"""What a child process gives up before it sees a student's code. Runs in the child; standard library only.

Three modes, of which `tinyrnn.grading.sandbox.sandbox` tries the strictest first:

    namespaces   Linux, as root or where a user may make user namespaces: a file system of its own, in memory, that
                 holds the interpreter's library, the packages asked for and the submission, nothing else and no /proc;
                 no network; processes that end together with the first one; as root, an unprivileged user as well
    user         Linux, as root in a container that forbids namespaces: an unprivileged user, new for every child
    plain        anything else: limits only, as far as the system has them (Windows has none, macOS not all)

In all of them: limits on memory, processor time, files and processes, no new privileges, death with the parent.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
NEW_FILES, NEW_UTS, NEW_IPC, NEW_USER, NEW_PROCESSES, NEW_NETWORK = (
    0x00020000,
    0x04000000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
READ_ONLY, NO_SETUID, NO_DEVICES, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
DETACH = 2
CAPABILITIES = 0x20080522  # version 3 of the header of capset
CALL_OF_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217}
DEVICES = ("null", "zero", "random", "urandom")
ROOMY = b"size=64m,nr_inodes=4096,mode=755"  # what the child can write, together with the submission


def enter(config):
    """Locks this process in, returns (folder of the packages, folder of the submission) in the process that goes on.

    Where there are namespaces that is a grandchild; the processes between wait for it and end as it ends. The current
    folder is an empty one that can be written in. Raises OSError where the system refuses.
    """
    mode = config["mode"]
    die_with_parent()
    if mode == "namespaces":
        unshare(config)
        follow_in_fork()  # the first process of a new process namespace is a child of the one that asks for it
        die_with_parent()
        make_root(config)
        follow_in_fork()  # a first process could not be killed by its own limits
        os.setsid()
    place = "/" if mode == "namespaces" else config["place"]
    packages, files, work = (os.path.join(place, name) for name in ("packages", "files", "work"))
    for folder in (files, work):
        os.makedirs(folder, exist_ok=True)
    for name, data in config["files"]:
        with open(os.path.join(files, name), "wb") as file:
            file.write(bytes.fromhex(data))
    if mode == "namespaces":
        bind(files, files)  # to be read only
    if config["uid"] is not None:
        os.chown(work, config["uid"], config["uid"])
    os.chdir(work)
    limit(config["limits"])
    give_up_privileges(config)
    die_with_parent()
    return packages, files


def give_up_privileges(config):
    """Become the configured user, without groups; on Linux without capabilities or a way to gain any again."""
    if config["uid"] is not None:
        os.setgroups([])
        os.setresgid(*[config["uid"]] * 3)
        os.setresuid(*[config["uid"]] * 3)
    if sys.platform == "linux":
        libc().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        header, none = (ctypes.c_uint32 * 2)(CAPABILITIES, 0), (ctypes.c_uint32 * 6)()
        libc().capset(header, none)
        if config["mode"] == "plain":  # others of this user may not look into it, nor its files under /proc
            libc().prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def limit(limits):
    """Sets each limit that the system knows; {name: number}."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, number in limits.items():
        which = getattr(resource, f"RLIMIT_{name}", None)
        if which is None or number is None:
            continue
        try:
            hard = resource.getrlimit(which)[1]
            number = number if hard == resource.RLIM_INFINITY else min(number, hard)
            resource.setrlimit(which, (number, number))
        except (ValueError, OSError):  # macOS refuses some
            continue


def die_with_parent():
    """This process is killed when the thread that started it ends. A change of user undoes that: once more after it."""
    if sys.platform == "linux":
        libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def follow_in_fork():
    """Returns in a child; this process keeps nothing open, waits for the child, and ends as it does.

    SIGTERM ends the child first: with the first process of a namespace, all in it have ended before this one does.
    """
    child = os.fork()
    if child == 0:
        return
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
    os.closerange(0, 256)
    while True:
        ended, status = os.wait()
        if ended == child:  # others are orphans that came to the first process
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def unshare(config):
    """Enter new namespaces (files, processes, network, IPC, host name), and a user's own unless root; OSError."""
    kinds = NEW_FILES | NEW_PROCESSES | NEW_NETWORK | NEW_IPC | NEW_UTS
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        return refused(libc().unshare(kinds), "unshare")
    refused(libc().unshare(kinds | NEW_USER), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="utf-8") as file:
            file.write(text)


def make_root(config):
    """A file system in memory becomes the root; what the plan names is bound into it, to be read only."""
    mount(b"none", b"/", None, RECURSIVE | PRIVATE)
    mount(b"tmpfs", b"/tmp", b"tmpfs", NO_SETUID | NO_DEVICES, ROOMY)
    os.mkdir("/tmp/before")
    os.chdir("/tmp")
    number = CALL_OF_PIVOT_ROOT[os.uname().machine]
    refused(libc().syscall(number, b"/tmp", b"/tmp/before"), "pivot_root")
    os.chdir("/")
    for source, target in config["bind"]:
        bind(f"/before{source}", target)
    for link, target in config["links"]:
        os.symlink(target, link)
    for folder in config["mask"]:
        mount(b"tmpfs", folder.encode(), b"tmpfs", READ_ONLY | NO_SETUID | NO_DEVICES, b"size=4k,mode=755")
    for name in DEVICES:
        bind(f"/before/dev/{name}", f"/dev/{name}", devices=True)
    refused(libc().umount2(b"/before", DETACH), "umount")
    os.rmdir("/before")


def bind(source, target, devices=False):
    """Make a file or folder visible at target too, read-only and without devices unless those are wanted; OSError."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        open(target, "wb").close()
    mount(source.encode(), target.encode(), None, BIND | RECURSIVE)
    if not devices:
        kept = os.statvfs(target).f_flag & os.ST_NOEXEC  # a user namespace may not take that off again
        mount(None, target.encode(), None, REMOUNT | BIND | READ_ONLY | NO_SETUID | NO_DEVICES | kept)


def mount(source, target, kind, flags, data=None):
    """mount(2); OSError, naming the target, if it is refused."""
    refused(libc().mount(source, target, kind, ctypes.c_ulong(flags), data), f"mount {target.decode()}")


def refused(result, what):
    """Raises OSError, from errno and with `what` in it, unless the result of a C call is 0."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def libc():
    """The C library of this process, with errno kept for `refused`."""
    return ctypes.CDLL(None, use_errno=True)
