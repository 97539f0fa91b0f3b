"""`tinyrnn read`: sections of the lecture on backward passes, in the terminal."""

import re

from tinyrnn.core.files import shipped

EXAMPLE = "tinyrnn read lstm/sigmoid; or tinyrnn read lstm"
PAGE = shipped("pages/by_hand.md", "lectures/by_hand.md")


def add_arguments(command):
    """The arguments of the command, for its parser."""
    command.add_argument("section", nargs="?", metavar="SECTION", help="its name, or how it begins (default: list all)")


def run(args):
    """Prints the sections that were asked for."""
    found = sections(PAGE.read_text(encoding="utf-8"))
    if args.section is None:
        width = max(map(len, found))
        print("\n".join(f"{name:{width}}  {title}" for name, (title, _) in found.items()))
        return
    wanted = args.section.rpartition("#")[2].rstrip("/")  # as a link to it ends
    chosen = [name for name in found if name == wanted or name.startswith(f"{wanted}/")]
    if not chosen:
        raise ValueError(f"there is no section {args.section!r}; `tinyrnn read` lists them")
    print("\n\n\n".join(readable(*found[name]) for name in chosen))


def sections(page):
    """name -> (title, text) of every section of a page, which begin with an anchor and a heading."""
    _, *parts = re.split(r'^<a id="(.+)"></a>\n\n### (.+)\n', page, flags=re.MULTILINE)
    texts = (re.split(r"^## ", text, flags=re.MULTILINE)[0].strip() for text in parts[2::3])
    return dict(zip(parts[::3], zip(parts[1::3], texts, strict=True), strict=True))


def readable(title, text):
    """A section without Markdown's marks: what stood between fences is set in."""
    lines, fenced = [], False
    for line in re.sub(r"\[([^\]]+)\]\(#(.+?)\)", r"\1 (\2)", text).splitlines():
        if line.startswith("```"):
            fenced = not fenced
        else:
            lines.append(f"    {line}".rstrip() if fenced else line.replace("**", ""))
    return "\n".join([title, "-" * len(title), "", *lines])
