"""Drawings of cells: made from the trace, so that their wires are the names of the source and no box is forgotten."""

import inspect

import numpy as np
import pytest

from tinyrnn.cells import CELLS
from tinyrnn.play.drawing import drawing
from tinyrnn.play.network import drafts
from tinyrnn.play.rivers import OFFERED


def drawn(name):
    cls, options = CELLS[name]
    cell = cls(6, 6, rng=0, **options)
    return cell, drawing(cell, drafts(cell, weights=False)["forward"])


def wires(plan):
    """ "source label -name-> target label" of every wire."""
    boxes = plan["boxes"]
    return {f"{boxes[w['from']]['label']} -{w['name']}-> {boxes[w['to']]['label']}" for w in plan["wires"]}


DRAWN = {
    "elman": {"x -x-> W_x W_h b", "h_prev -h_prev-> W_x W_h b", "W_x W_h b --> tanh", "tanh -h-> h"},
    "lstm": {
        *("x -x-> W_x W_h b", "h_prev -h_prev-> W_x W_h b", "W_x W_h b -a_g-> tanh", "tanh -g-> ×", "tanh -tanh_c-> ×"),
        *(f"W_x W_h b -a_{gate}-> σ" for gate in "ifo"),
        *("σ -f-> ×", "σ -i-> ×", "σ -o-> ×", "c_prev -c_prev-> ×", "× --> +", "+ -c-> tanh", "+ -c-> c", "× -h-> h"),
    },
    "gru": {
        *("x -x-> W_x b", "h_prev -h_prev-> W_h", "h_prev -h_prev-> ×", "W_x b -a_r-> +", "W_x b -a_z-> +"),
        *("W_x b -a_n-> +", "W_h -u-> +", "W_h -u-> · + b_n", "+ --> σ", "σ -r-> ×", "σ -z-> ×", "σ -z-> 1 − ·"),
        *("· + b_n -s-> ×", "× --> +", "+ --> tanh", "tanh -n-> ×", "1 − · --> ×", "+ -h-> h"),
    },
    "lmn": {
        *(
            "x -x-> W_xh W_mh b_h",
            "m_prev -m_prev-> W_xh W_mh b_h",
            "W_xh W_mh b_h --> tanh",
            "tanh -h-> W_hm W_mm b_m",
        ),
        *("m_prev -m_prev-> W_hm W_mm b_m", "W_hm W_mm b_m -m-> m"),
    },
    "urnn": {
        *(
            "h_prev -h_prev-> phases",
            "phases -y1-> fourier",
            "fourier -y2-> reflection",
            "reflection -y3-> permutation",
        ),
        *("permutation -y4-> phases", "phases -y5-> inverse_fourier", "inverse_fourier -y6-> reflection"),
        *("reflection -y7-> phases", "phases -y8-> +", "x -x-> V", "V -a-> +", "+ -z-> modrelu", "modrelu -h-> h"),
    },
    "kronecker": {
        *("h_prev -h_prev-> kronecker", "kronecker --> +", "x -x-> V", "V -a-> +", "+ -z-> modrelu", "modrelu -h-> h"),
    },
}


@pytest.mark.parametrize("name", DRAWN)
def test_boxes_and_wires_are_those_of_the_step(name):
    _, plan = drawn(name)
    assert wires(plan) == DRAWN[name]


@pytest.mark.parametrize("name", OFFERED)
def test_every_wire_that_has_a_name_has_a_line_that_makes_it(name):
    cell, plan = drawn(name)
    made = {each for line in plan["lines"]["step"] for each in line["names"]}
    known = made | {"x", "a"} | {f"{state}_prev" for state in cell.states}
    named = {wire["name"] for wire in plan["wires"]} - {""}
    assert named and named <= known


@pytest.mark.parametrize("name", OFFERED)
def test_wires_lead_to_the_right_and_boxes_do_not_lie_on_each_other(name):
    _, plan = drawn(name)
    for wire in plan["wires"]:
        layers = [x for x, _ in wire["path"]]
        assert layers == list(range(layers[0], layers[-1] + 1)) and len(layers) > 1
    for x in range(plan["width"] + 1):
        heights = sorted(box["y"] for box in plan["boxes"] if box["x"] == x)
        assert all(np.diff(heights) >= 0.99) and all(0 <= y <= plan["height"] for y in heights)


def test_a_line_has_the_number_that_it_has_in_its_file():
    _, plan = drawn("lstm")
    file = inspect.getsourcefile(CELLS["lstm"][0])
    assert plan["file"] == "cells/lstm.py"
    with open(file, encoding="utf-8") as text:
        source = text.read().splitlines()
    for line in [line for lines in plan["lines"].values() for line in lines]:
        assert source[line["number"] - 1].strip().startswith(line["text"].split("\n")[0])
