"""Marks a submission: runs its functions in a child process and compares what comes back, here.

The child is a calculator that is not trusted. It is called with copies of the arguments and returns arrays; what they
are worth is decided in this process, which never loads anything that a student wrote.
"""

import hashlib
import hmac
import re
from contextlib import ExitStack
from functools import cache

import numpy as np

from tinyrnn.grading import answers
from tinyrnn.grading.exercise import exercises
from tinyrnn.grading.judging import judged
from tinyrnn.grading.key import Key, fingerprint
from tinyrnn.grading.marks import Marks, OutputMarks, TaskMarks, shared
from tinyrnn.grading.task import Finding, Hidden
from tinyrnn.grading.wording import NOT_WRITTEN, UNKNOWN, about, clean, in_place, line_command, line_of, told
from tinyrnn.verdicts.report import DOUBT, GUESS

HOPELESS = ("timeout", "died", "memory", "missing", "import")  # further calls would only cost time
LINES_SECONDS = 20.0
CALLER, CALLS = "caller.py", "import numpy as np\nimport {0} as yours\nfrom {0} import *\n\n{1}\n"  # of `Task.forward`


def mark(exercise, files, *, secret=None, expected=None, hidden=False, feedback=True, only=None, sandbox=None):
    """The `Marks` of a submission. The same files give the same marks; nothing that is in them raises anything here.

    exercise: an `Exercise`. files: name -> text (or bytes) of the student's files, this exercise's and earlier ones;
    other files count for nothing.
    secret: text or bytes; hidden cases are drawn from it and the files. expected: what public cases should give,
    f"{task}/{k}/{output}" -> array; by default the master's answers, or those that were handed out. hidden: run hidden
    cases too, which takes a teacher's folder and a secret. feedback: look for line verdicts (a second or two for each
    backward task that fails) and for known mistakes. only: the name of one task, which is marked with those it waits
    for, and no others. sandbox: what is called as `Sandbox(files, main, packages, imports=True)`.

    An error of the grader's own becomes a task, or marks, with status "crashed" and no points.
    """
    if hidden and (secret is None or not exercise.is_master):
        raise ValueError("hidden cases take a secret and the exercise's master")
    if only is not None:
        needed(exercise, only)
    if sandbox is None:
        from tinyrnn.grading.sandbox.sandbox import Sandbox as sandbox
    from tinyrnn import __version__

    marks = Marks("", 0, "", "", "", hidden, version=__version__)
    try:
        files = {name: files[name] for name in sorted(allowed(exercise) & set(files))}
        marks.submission = submission(files)
        marks.exercise, marks.number, marks.file = exercise.folder.name, exercise.number, exercise.file
        marks.title = exercise.title
        key = Key.of(exercise) if expected is None else Key(exercise, expected)
        if exercise.file not in files:
            marks.problem = f"there is no {exercise.file}"
        with ExitStack() as children:

            @cache
            def child(packages):
                return children.enter_context(sandbox(files, exercise.file, packages, imports=True))

            if not marks.problem:
                child(exercise.packages)  # whatever stands in the way of it stands in the way of all
            Marking(exercise, files, key, child, secret if hidden else None, feedback).all(marks, only)
    except Exception as error:
        marks.tasks = []
        marks.crashed, marks.problem = True, told(error)
    return marks


def allowed(exercise):
    """Names of the files that a submission of an exercise consists of, as far as it has them."""
    return {each.file for each in exercises(exercise.folder.parent) if each.number <= exercise.number}


def submission(files):
    """SHA-256 of a submission's files, names and contents, in hexadecimal."""
    return hashlib.sha256(canonical(files)).hexdigest()


def canonical(files):
    """One sequence of bytes for files, name -> text or bytes; different files give different ones."""
    parts = []
    for name in sorted(files):
        content = files[name]
        for part in (name, content):
            data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else bytes(part)
            parts.append(len(data).to_bytes(8, "big") + data)
    return b"".join(parts)


class Answers:
    """What came of the public or the hidden cases of a task.

    right: output -> whether it is right in every case. returned: by case. failed: number of cases in which anything
    is wrong. findings, reply: of the first such case, what is wrong, or the `Reply` with which it ended. changed: what
    is said of an argument that was changed in place, or "".
    """

    def __init__(self, outputs):
        self.right = dict.fromkeys(outputs, True)
        self.returned, self.failed, self.findings, self.reply, self.changed = [], 0, [], None, ""

    def fail(self, findings, reply=None):
        """Count a case as failed; the findings and the reply of the first one are kept."""
        if not self.failed:
            self.findings, self.reply = findings, reply
        self.failed += 1


class Marking:
    """One submission being marked. child: gives the sandbox, a context, in which certain packages can be imported."""

    def __init__(self, exercise, files, key, child, secret, feedback):
        self.exercise, self.files, self.key, self.child = exercise, files, key, child
        self.secret = secret.encode() if isinstance(secret, str) else secret
        self.feedback, self.only = feedback, None
        self.right = set()  # names of tasks that are, in public

    def all(self, marks, only=None):
        """Fills in `marks`, task by task; only: of this one and those that it waits for."""
        self.only = only
        for task in self.exercise.tasks.values() if only is None else needed(self.exercise, only):
            made = self.blank(task)
            marks.tasks.append(made)
            waits = [name for name in task.after if not marks.task(name).right_in_public]
            try:
                if marks.problem:
                    made.status = "wrong" if self.exercise.file in self.files else "missing"
                    made.message = marks.problem
                elif waits:
                    made.status, made.message = "waiting", f"waits for: {', '.join(waits)}"
                else:
                    marks.problem = self.one(task, made)
                    self.right |= {task.name} if made.right_in_public else set()
            except Exception as error:
                for output in made.outputs:
                    output.public = output.hidden = None
                    output.cents = 0
                made.status, made.message, marks.crashed = "crashed", told(error), True

    def blank(self, task):
        """The task's marks before anything is known: every output with what it can get."""
        each = zip(task.outputs, shared(100 * task.points, len(task.outputs)), strict=True)
        outputs = [OutputMarks(name, possible=cents) for name, cents in each]
        texts = {"why": task.why, "section": task.section, "after": list(task.after), "practice": task.practice}
        return TaskMarks(task.name, task.title, task.points, "wrong", outputs, **texts)

    def one(self, task, made):
        """Marks one task; returns what is wrong with the file as a whole, or ""."""
        run = self.cases(task, task.judge, self.public_cases(task), made)
        for output in made.outputs:
            output.public = run.right[output.name]
        secret_run = None
        if self.secret is not None and not (run.reply and run.reply.kind in HOPELESS):
            judge = self.exercise.hidden.get(task.name, Hidden()).judge or task.judge
            secret_run = self.cases(task, judge, self.hidden_cases(task, judge))
            for output in made.outputs:
                output.hidden = secret_run.right[output.name]
        for output in made.outputs:  # what a student has at hand, with the answers, is worth nothing where it counts
            output.cents = output.possible * bool(output.public if self.secret is None else output.hidden)
        every = [right for each in (run, secret_run) if each for right in each.right.values()]
        made.status = "right" if all(every) else "partly" if any(every) else "wrong"
        if run.failed:
            try:
                self.explain(task, run, made)
            except Exception as error:  # the points stand, whatever can be said about them
                made.message = made.message or f"nothing more can be said: {told(error)}"
        elif secret_run and secret_run.failed:
            made.message = f"right in the public cases, but wrong in {secret_run.failed} of the hidden ones"
            if secret_run.reply is not None and secret_run.reply.kind == "timeout":
                made.message = "right in the public cases, but far too slow in a hidden one, which is larger"
        return made.message if run.reply and run.reply.kind == "import" else ""

    def public_cases(self, task):
        """(inputs, what they should give) by case; the latter None where there is a judge."""
        for k in range(task.number):
            expected = self.key.expected(task, k) if task.judge is None else None
            yield answers.public_inputs(self.exercise, task, k), expected

    def hidden_cases(self, task, judge):
        """Yields (arguments, right answer) of cases drawn from secret and submission; None where a judge decides."""
        seed = hmac.new(self.secret, canonical(self.files), hashlib.sha256).digest()
        for inputs in answers.hidden_inputs(self.exercise, task, np.frombuffer(seed, dtype="<u4").tolist()):
            yield inputs, self.key.hidden(task, inputs) if judge is None else None

    def cases(self, task, judge, cases, made=None):
        """The `Answers` of cases. What was printed in the first one goes into `made`."""
        run = Answers(task.outputs)
        for k, (inputs, expected) in enumerate(cases):
            reply = self.call(task, inputs)
            if k == 0 and made is not None:
                made.printed = reply.printed or ""
            if reply.kind == "returned":
                findings = judged(task, judge, reply.value, inputs, expected)
                if reply.changed:
                    run.changed = run.changed or in_place(reply)
                    findings = [finding._replace(ok=False) for finding in findings]
                run.returned.append(reply.value)
                if k == 0 and all(finding.ok for finding in findings):
                    findings, reply = self.again(task, judge, inputs, expected, reply)
            if reply.kind != "returned":
                run.right = dict.fromkeys(task.outputs, False)
                run.fail([], reply)
                if reply.kind in HOPELESS:
                    break
                continue
            for finding in findings:
                run.right[finding.output] &= finding.ok
            if not all(finding.ok for finding in findings):
                run.fail([finding for finding in findings if not finding.ok])
        return run

    def call(self, task, inputs):
        """The `Reply` to one call of a task's function."""
        child = self.child((*self.exercise.packages, *task.packages))
        return child.call(task.name, inputs, seconds=task.seconds, without=task.without)

    def again(self, task, judge, inputs, expected, reply):
        """The same call once more, for what should not be kept from one call to the next: (findings, reply)."""
        second = self.call(task, inputs)
        if second.kind != "returned":
            return [], second
        message = "{}: right when called first, wrong when called again with the same arguments: is something kept?"
        findings = judged(task, judge, second.value, inputs, expected)
        return [f if f.ok else f._replace(message=message.format(f.output)) for f in findings], reply

    def explain(self, task, run, made):
        """Says what is wrong with a task that fails in public."""
        if run.reply is not None:
            made.message = about(run.reply, task, self.exercise.file)
            if run.reply.kind == "missing" or made.message == NOT_WRITTEN:
                made.status = "missing" if made.status == "wrong" else made.status
                return
        made.findings = [Finding(f.output, f.ok, *map(clean, f[2:])) for f in run.findings if f.message]
        made.message = made.message or run.changed
        if task.number > 1 and run.reply is None:
            made.cases = f"wrong in {run.failed} of {task.number} public cases"
        if self.feedback:
            is_backward = task.partners is not None and task.name == task.partners[1]
            if is_backward and (run.reply is None or run.reply.kind not in HOPELESS):
                made.lines = self.verdicts(task)
                made.step = f"{self.exercise.file}:{task.name}" if made.lines and not task.forward else ""
            if len(run.returned) == task.number and made.findings:
                made.mistake = self.key.name(task, run.returned)
                if made.mistake is None:
                    wrong = [f.output for f in made.findings] if run.changed else task.outputs
                    made.partial = self.key.partial(task, run.returned, [n for n in wrong if not run.right[n]])
        if made.mistake is None:
            said = "" if run.reply is None and not run.changed else made.message
            made.fingerprint = fingerprint(task, run.returned, said)

    def verdicts(self, task):
        """Line verdicts on the task's function, which hold it against the forward one of the student's own file; []
        if there is nothing to be had. Of practice there are none by the way: that is what `tinyrnn lines` is for."""
        forward, backward = task.partners
        tasks = self.exercise.tasks
        text = self.files[self.exercise.file]
        if not re.search(rf"\b{forward}\b".encode(), text.encode() if isinstance(text, str) else text):
            return []  # a backward pass without a forward one
        command = line_command(self.exercise, task)
        if forward in tasks and not self.is_right(tasks[forward]):
            return [f"when {forward} is right: {command}"]
        if task.practice and self.only is None:
            return [command]
        inputs = answers.smallest_inputs(self.exercise, tasks.get(forward, task))
        told = getattr(self.child(self.exercise.packages), "line_verdicts", None)
        if told is None:
            from tinyrnn.grading.sandbox.sandbox import line_verdicts as told
        files, main = self.files, self.exercise.file
        if task.forward:
            main, files = CALLER, {**files, CALLER: CALLS.format(main.removesuffix(".py"), task.forward)}
        packages = tuple(name for name in self.exercise.packages if name != "tinyrnn")
        leave = tuple(sorted(self.right - {forward, backward}))  # what is right need not be looked into
        found = told(files, main, forward, backward, inputs, LINES_SECONDS, packages, None, leave)
        if found is None:
            return [f"no line of {backward} could be judged"]
        if not any("WRONG" in text.split("|")[0] or DOUBT in text or GUESS in text for text in found):
            return [f"no line of {backward} contradicts {forward} as it stands in your file"]
        return [line_of(text) for text in found if text.strip(" |") != UNKNOWN]

    def is_right(self, task):
        """Whether a task is right in public; tried now where only another one is marked, which does not wait for it."""
        if self.only is not None and task not in needed(self.exercise, self.only):
            return all(self.cases(task, task.judge, self.public_cases(task)).right.values())
        return task.name in self.right


def needed(exercise, name):
    """A task and those that it waits for, in the exercise's order. ValueError in a line for no task's name."""
    tasks = exercise.tasks
    if name not in tasks:
        raise ValueError(f"{exercise.folder.name} has no task {name!r}: {', '.join(tasks)}")
    names, wanted = set(), {name}
    while wanted:
        names |= wanted
        wanted = {other for each in wanted for other in tasks[each].after} - names
    return [task for task in tasks.values() if task.name in names]
