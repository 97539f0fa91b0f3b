"""Submissions that are broken, or mean harm. Each should define double(x), which returns 2 * x.

BROKEN can be run anywhere. DANGEROUS ones only where the child process is shut in: they kill, fork and hide.
A text: (name, source, kinds of reply that are allowed, whether what it returns is right).
@SECRET@, @RESULTS@ and @PARENT@ stand for a secret file, a file of results and the grader's process.
"""

RIGHT = "import os, sys, time, signal, threading\nimport numpy as np\n\ndef double(x):\n    return 2 * x\n"
START = "import os, sys, time, signal, threading\nimport numpy as np\n\n"


def body(lines, kinds, right=False):
    """double(x) with these lines in it."""
    return START + "def double(x):\n" + "".join(f"    {line}\n" for line in lines.strip("\n").split("\n")), kinds, right


def module(lines, kinds, right=True):
    """A right double(x), and these lines that run when the file is loaded."""
    return RIGHT + lines.strip("\n") + "\n", kinds, right


FORGED = """
import json, struct
head = json.dumps({"header": {"nonce": "", "kind": "returned", "message": "", "line": ""}, "value": ["none"],
                   "arrays": []}).encode()
for fd in range(3, 64):
    try:
        os.write(fd, struct.pack("<4sIQ", b"tr1\\n", len(head), 0) + head)
    except OSError:
        pass
"""

FRAME = """
import struct
frame = {frame}
for fd in range(3, 64):
    try:
        os.write(fd, frame)
    except OSError:
        pass
return 2 * x
"""

LYING = """
class Same:
    __array_priority__ = 1e9
    shape, dtype, size, ndim = (2, 3), np.dtype("float64"), 6, 2
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    __rsub__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__
    def __array__(self, *a, **k): raise RuntimeError("never mind")
    def __bool__(self): return True
"""

BROKEN = {
    # what is returned
    "nothing is returned": body("2 * x", {"returned"}),
    "not a number": body("return x * np.nan", {"returned"}),
    "infinity": body("return x * np.inf", {"returned"}),
    "an empty array": body("return np.zeros(0)", {"returned"}),
    "one number where an array belongs": body("return 2 * x[0, 0]", {"returned"}),
    "a shape that would broadcast": body("return 2 * x[None]", {"returned"}),
    "a row": body("return 2 * x[:1]", {"returned"}),
    "single precision": body("return (2 * x).astype('f4')", {"returned"}),
    "integers": body("return (2 * x).astype(int)", {"returned"}),
    "complex numbers": body("return 2 * x + 0j", {"returned"}),
    "objects in an array": body("return (2 * x).astype(object)", {"unsent"}),
    "fields in an array": body("return np.zeros(2, dtype=[('a', 'f8'), ('b', 'i4')])", {"unsent"}),
    "text in an array": body("return np.array(['2', '4'])", {"unsent"}),
    "a generator": body("return (2 * row for row in x)", {"unsent"}),
    "a set": body("return {1.0, 2.0}", {"unsent"}),
    "a function": body("return double", {"unsent"}),
    "a dict with numbers as keys": body("return {0: 2 * x}", {"unsent"}),
    "a list that contains itself": body("a = []\na.append(a)\nreturn a", {"unsent"}),
    "a list that is far too long": body("return [1.0] * 10**6", {"unsent"}),
    "a text that is far too long": body("return 'x' * 10**7", {"unsent"}),
    "an integer that is far too long": body("return 1 << 10**6", {"unsent"}),
    "an array that is far too large": body("return np.zeros(10**7)", {"unsent"}),
    "a large array that is one number": body("return np.broadcast_to(2.0, (10**6, 10**6))", {"unsent", "memory"}),
    "what is equal to everything": (START + LYING + "def double(x):\n    return Same()\n", {"unsent"}, False),
    "a subclass that lies about its bytes": (
        START
        + "class Liar(np.ndarray):\n    def __eq__(self, other): return True\n    def tobytes(self, *a): return b''\n"
        + "    def __array__(self, *a, **k): return np.zeros(1)\n    shape = (7,)\n"
        + "def double(x):\n    return (3 * x).view(Liar)\n",
        {"returned", "unsent"},
        False,
    ),
    "a dict that raises when it is read": (
        START + "class D(dict):\n    def items(self): raise SystemExit(0)\ndef double(x):\n    return D(a=1)\n",
        {"unsent", "died"},
        False,
    ),
    "the argument, changed in place, and the wrong one back": body("x *= 2\nreturn np.zeros_like(x)", {"returned"}),
    "one result of several": body("return 2 * x, 2 * x", {"returned"}),
    "right, through a subclass of array": body("return np.asmatrix(2 * x)", {"returned"}, True),
    "right, as a view that is no C order": body("return (2 * x.T.copy()).T", {"returned"}, True),
    "right, in the other byte order": body("return (2 * x).astype('>f8')", {"returned"}, True),
    # the file
    "nothing is in the file": ("", {"missing"}, False),
    "the function has another name": ("def dubble(x):\n    return 2 * x\n", {"missing"}, False),
    "the name is no function": ("double = 2\n", {"missing"}, False),
    "another signature": ("def double():\n    return 2\n", {"raised"}, False),
    "a line that is not finished": ("def double(x:\n    return 2 * x\n", {"import"}, False),
    "tabs and blanks": ("def double(x):\n\tif True:\n        return 2 * x\n", {"import"}, False),
    "null bytes": (b"def double(x):\n    return 2 * x\n\0", {"import"}, False),
    "latin letters in another encoding": (b"a = '\xe4\xf6\xfc'\ndef double(x):\n    return 2 * x\n", {"import"}, False),
    "an encoding that is not there": ("# coding: nonsense\ndef double(x):\n    return 2 * x\n", {"import"}, False),
    "too much of it": ("x = 1\n" * 400_000, {"import"}, False),
    "brackets as deep as they go": ("(" * 50_000, {"import"}, False),
    "lone surrogates in the file": ("a = '\udc80'\ndef double(x):\n    return 2 * x\n", {"import"}, False),
    "right, with a byte order mark": (b"\xef\xbb\xbfdef double(x):\n    return 2 * x\n", {"returned"}, True),
    "right, with the line ends of Windows": ("def double(x):\r\n    return 2 * x\r\n", {"returned"}, True),
    "a package that is not allowed": ("import torch\ndef double(x):\n    return 2 * x\n", {"import"}, False),
    "the answers' package": ("import tinyrnn\ndef double(x):\n    return 2 * x\n", {"import"}, False),
    "a plug-in of pytest": (
        "import pytest\npytest.skip('all of it', allow_module_level=True)\ndef double(x):\n    return 2 * x\n",
        {"import"},
        False,
    ),
    "an error while it is loaded": module("1 / 0", {"import"}, False),
    "itself, imported once more": module("import student as me\nassert me.double is double", {"returned"}, True),
    "a file name that is not its own": module("__file__ = __name__ = '/etc/passwd'", {"returned"}, True),
    # how it ends
    "an error": body("return x @ x", {"raised"}),
    "an error whose text raises": (
        START + "class E(Exception):\n    def __str__(self): raise ValueError\ndef double(x):\n    raise E\n",
        {"raised"},
        False,
    ),
    "an error with odd letters in its text": body("raise ValueError('\\ud800\\x1b[2J\\0 ' + 'x' * 10**6)", {"raised"}),
    "sys.exit, as if all were well": body("sys.exit(0)", {"raised"}),
    "sys.exit while it is loaded": module("sys.exit(0)", {"import"}, False),
    "os._exit, as if all were well": body("os._exit(0)", {"died"}),
    "os._exit while it is loaded": module("os._exit(0)", {"import"}, False),
    "something registered for the end": module("import atexit\natexit.register(print, 'passed')", {"returned"}, True),
    "an interrupt": body("raise KeyboardInterrupt", {"raised"}),
    "recursion without end": body("return double(x)", {"raised"}),
    "recursion without end or limit": body(
        "sys.setrecursionlimit(10**9)\nreturn [double(x) for _ in range(1)]", {"died", "raised", "memory", "timeout"}
    ),
    "a null pointer": body("import ctypes\nctypes.string_at(0)", {"died"}),
    "abort": body("os.abort()", {"died"}),
    "a kill of itself": body("os.kill(os.getpid(), signal.SIGKILL)", {"died"}),
    "a loop without end": body("while True: pass", {"timeout"}),
    "a loop that catches everything": body("while True:\n    try: time.sleep(1)\n    except: pass", {"timeout"}),
    "a sleep": body("time.sleep(1000)", {"timeout"}),
    "a sleep while it is loaded": module("time.sleep(1000)", {"import"}, False),
    "signals that are ignored": body(
        "for s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except OSError: pass\nwhile True: pass",
        {"timeout"},
    ),
    "a wait for input": body("return float(input())", {"raised"}),
    "a thread that goes on": module(
        "threading.Thread(target=time.sleep, args=(1000,), daemon=False).start()", {"returned"}, True
    ),
    # memory and output
    "a large array": body("return np.ones((10**5, 10**5))", {"memory"}),
    "a list that grows": body("a = []\nwhile True: a.append(bytearray(10**7))", {"memory"}),
    "megabytes of output": body("print('x' * 3_000_000)\nreturn 2 * x", {"returned"}, True),
    "output without end": body("while True: print('all checks passed' * 1000)", {"raised", "timeout"}),
    "output that looks like a result": body(
        'print(\'{"score": 100, "tests": []}\')\nprint("PASSED", file=sys.stderr)', {"returned"}
    ),
    # the way back to the grader
    "all descriptors closed": body("os.closerange(0, 64)\nreturn 2 * x", {"died", "timeout"}),
    "a forged reply, then the right one": module(FORGED, {"import"}, False),
    "a forged reply before the end": body(FORGED + "os._exit(0)", {"died"}),
    "half a frame": body(FRAME.format(frame=r"struct.pack('<4sIQ', b'tr1\n', 100, 0) + b'{'"), {"died", "timeout"}),
    "a frame of no size that there is": body(
        FRAME.format(frame=r"struct.pack('<4sIQ', b'tr1\n', 100, 2**63)"), {"died"}
    ),
    "a pass byte on every descriptor": body(FRAME.format(frame="b'1' * 1000"), {"died"}),
    "the channel found in the caller's frame, data sent by hand": body(
        "channel = sys._getframe(2).f_locals['channel']\n"
        "channel.send(sys._getframe(2).f_locals['nonce'], 'returned', 3 * x)\nos._exit(0)",
        {"returned", "died"},
    ),
    "a verdict sent by hand": body(
        "channel = sys._getframe(2).f_locals['channel']\n"
        "channel.send(sys._getframe(2).f_locals['nonce'], 'passed', True)\nos._exit(0)",
        {"died"},
    ),
    # changes of what others use
    "numpy changed": module("np.allclose = np.array_equal = lambda *a, **k: True\nnp.ndarray = int", {"unsent"}, False),
    "json changed": module("import json\njson.dumps = lambda *a, **k: '{}'", {"import", "died"}, False),
    "standard output replaced": module("sys.stdout = sys.stderr = None", {"returned"}, True),
    "state that is kept": (
        START + "calls = 0\ndef double(x):\n    global calls\n    calls += 1\n    return x * (1 + calls)\n",
        {"returned"},
        "first",
    ),
    "warnings": body("import warnings\nwarnings.warn('slow')\nnp.log(-abs(x))\nreturn 2 * x", {"returned"}, True),
}

DANGEROUS = {
    "processes without end": body("while True:\n    try: os.fork()\n    except OSError: pass", {"timeout", "died"}),
    "a daemon that stays": body(
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]\n        time.sleep(1000)\n    os._exit(0)\n"
        "return 2 * x",
        {"returned"},
        True,
    ),
    "a daemon that holds the channel, without its parent": body(
        "if os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)\nos._exit(0)", {"died"}
    ),
    "a kill of the parent": body("os.kill(os.getppid(), signal.SIGKILL)", {"raised", "returned"}),
    "a kill of the grader": body("os.kill(@PARENT@, signal.SIGKILL)", {"raised"}),
    "a kill of everything": body("os.kill(-1, signal.SIGKILL)", {"returned", "raised", "died"}),
    "a kill of the group": body("os.killpg(0, signal.SIGKILL)", {"died", "raised"}),
    "tracing the grader": body(
        "import ctypes\nif ctypes.CDLL(None).ptrace(16, @PARENT@, 0, 0) == 0: return 2 * x", {"returned"}
    ),
    "the grader's environment": body("return open('/proc/@PARENT@/environ').read()", {"raised"}),
    "the grader's memory": body("return open('/proc/@PARENT@/mem', 'rb').read(1)", {"raised"}),
    "a secret file": body("return open('@SECRET@').read()", {"raised"}),
    "a secret file through the root of another process": body(
        "for p in range(1, 99999):\n    try: return open(f'/proc/{p}/root@SECRET@').read()\n    except OSError: pass",
        {"returned"},
    ),
    "its own results": body("open('@RESULTS@', 'w').write('100')\nreturn 2 * x", {"raised"}),
    "results through a link": body(
        "os.symlink('@RESULTS@', 'r')\nopen('r', 'w').write('100')\nreturn 2 * x", {"raised"}
    ),
    "its own files deleted": body(
        "import shutil\nshutil.rmtree(os.path.dirname(__file__), ignore_errors=True)\n"
        "shutil.rmtree('.', ignore_errors=True)\nreturn 2 * x",
        {"returned"},
        True,
    ),
    "everything deleted": body(
        "import shutil\nassert os.getuid() != 0\nfor d in ('/work', '/files', '/packages', '/dev'):\n"
        "    shutil.rmtree(d, ignore_errors=True)\nreturn 2 * x",
        {"returned"},
        True,
    ),
    "numpy's own files changed": body("open(np.__file__, 'a').write('raise SystemExit')\nreturn 2 * x", {"raised"}),
    "a full disk": body(
        "for k in range(100):\n    with open(f'f{k}', 'wb') as f: f.write(bytes(10**7))\nreturn 2 * x", {"raised"}
    ),
    "files without end": body("for k in range(10**6): open(f'f{k}', 'w').close()", {"raised"}),
    "files left open without end": body("return [os.open('/dev/null', 0) for _ in range(10**4)]", {"raised"}),
    "root again": body("os.setuid(0)", {"raised"}),
    "a program of the system": body("os.execv('/bin/sh', ['sh', '-c', 'id'])", {"raised", "died"}),
    "a mount": body(
        "import ctypes\nif ctypes.CDLL(None).mount(b'none', b'/work', b'tmpfs', 0, None) == 0: return 2 * x",
        {"returned"},
    ),
    "another root": body("os.chroot('/work')", {"raised"}),
    "limits taken off": body(
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))\nreturn 2 * x", {"raised"}
    ),
    "the folder left": body("os.chdir('/')\nreturn 2 * x", {"returned"}, True),
    "threads without end": body(
        "while True: threading.Thread(target=time.sleep, args=(1000,)).start()", {"raised", "memory"}
    ),
    "the network": body(
        "import socket\nsocket.create_connection(('127.0.0.1', @PORT@), timeout=5)\nreturn 2 * x", {"raised"}
    ),
}
