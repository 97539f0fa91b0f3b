"""`tinyrnn read`: what a verdict recommends can be read where the package is all there is."""

import pytest

from tinyrnn.commands.main import main
from tinyrnn.commands.read import PAGE, readable, sections
from tinyrnn.verdicts.mistakes import SECTIONS


def test_every_section_that_a_verdict_recommends_is_printed_under_its_title(capsys):
    for name, title in SECTIONS.items():
        assert main(["read", name]) == 0
        printed = capsys.readouterr().out
        assert printed.startswith(f"{title}\n---")
        assert "Check yourself." in printed and "```" not in printed and "<a id" not in printed and "](#" not in printed


def test_without_a_name_all_are_listed_in_the_order_of_the_page(capsys):
    assert main(["read"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(
        sections(PAGE.read_text(encoding="utf-8"))
    )


def test_the_beginning_of_a_name_prints_all_of_that_cell(capsys):
    main(["read", "gru"])
    printed = capsys.readouterr().out
    assert all(title in printed for name, title in SECTIONS.items() if name.startswith("gru/"))
    assert SECTIONS["lstm/sigmoid"] not in printed


def test_a_link_to_a_section_will_do(capsys):
    main(["read", "lstm/sigmoid"])
    printed = capsys.readouterr().out
    main(["read", "lectures/by_hand.md#lstm/sigmoid"])
    assert capsys.readouterr().out == printed
    assert "\n    da_i = 5 × 0.8 × (1 - 0.8) = 0.8\n" in printed  # code is set in


def test_powers_in_code_stay_and_bold_type_goes(capsys):
    page = '<a id="a/b"></a>\n\n### Title\n\n**So** it is.\n\n```python\ny = x**2\n```\n\n## Next part\n\nnot this\n'
    assert readable(*sections(page)["a/b"]) == "Title\n-----\n\nSo it is.\n\n    y = x**2\n"[:-1]


@pytest.mark.parametrize("name", ["lst", "lstm/other", "#", ""])
def test_a_section_that_there_is_not_is_one_line(name, capsys):
    assert main(["read", name]) == 2
    assert capsys.readouterr().err == f"tinyrnn: there is no section {name!r}; `tinyrnn read` lists them\n"


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0 and capsys.readouterr().out.startswith("tinyrnn ")
