"""Pages on which the texts of a group of submissions stand side by side, what they have in common marked."""

import html

from tinyrnn.grading.feedback import document

STYLE = """<style>body { max-width: none; } .texts { display: flex; gap: 1rem; overflow-x: auto; }
.texts > div { flex: 1 0 32rem; min-width: 0; } ol { font: 13px/1.4 ui-monospace, monospace; white-space: pre-wrap; }
li.common { background: #ffe9a8; color: #222; }</style>"""
MOST = 6  # texts on a page


def page(title, group, texts, given):
    """An HTML text: the texts of a group's members in columns, lines marked that stand in another one's too.

    group: a `similarity.LookAlikes`; texts: member -> (name as shown, text); given: what was handed out, a `HandedOut`.
    """
    shown = sorted(group.members, key=lambda each: -sum(each in pair[:2] for pair in group.pairs))[:MOST]
    prints = {each: set(given.prints(texts[each][1])) for each in shown}
    columns = []
    for each in shown:
        shared = prints[each] & set().union(*(prints[other] for other in shown if other != each))
        marked = given.common_lines(texts[each][1], shared)
        lines = [
            f"<li{' class=common' if number in marked else ''}>{html.escape(line)}</li>"
            for number, line in enumerate(texts[each][1].splitlines())
        ]
        columns.append(f"<div><h2>{html.escape(texts[each][0])}</h2><ol>{''.join(lines)}</ol></div>")
    more = len(group.members) - len(shown)
    said = f"<p>{len(group.members)} submissions; {pairs_said(group, texts)}" + (f"; {more} not shown" if more else "")
    parts = [STYLE, f"<h1>{html.escape(title)}</h1>", f"{said}</p>", f'<div class="texts">{"".join(columns)}</div>']
    return document(title, parts)


def pairs_said(group, texts):
    """The likeness of the pairs of a group, in words of HTML."""
    low, high = min(pair.likeness for pair in group.pairs), max(pair.likeness for pair in group.pairs)
    first = group.pairs[0]
    said = f"most alike: {texts[first.one][0]} and {texts[first.other][0]}"
    return html.escape(f"likeness {low:.2f} to {high:.2f}; {said}")
