"""Settings of Sphinx for the site."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import tinyrnn

project = "tinyrnn"
author = "The tinyrnn authors"
copyright = author
version = release = tinyrnn.__version__

extensions = ["myst_nb", "tools.site.mathml", "tools.site.headings"]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath", "html_image"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # the notebooks have been run, by `python -m tools.lectures build`
nb_render_markdown_format = "gfm"  # what cells print has tables
nb_number_source_lines = False
nb_code_prompt_show = "Predict first; then open what came out"
nb_code_prompt_hide = "Fold what came out"
smartquotes_action = "qe"  # not dashes: --left is an option
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
suppress_warnings = ["mystnb.unknown_mime_type", "misc.highlighting_failure"]

html_theme = "furo"
html_show_search_summary = False  # each would be fetched, which a browser refuses for pages that are files
html_title = "tinyrnn"
html_copy_source = False
html_show_sphinx = False
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_extra_path = [str(Path(__file__).resolve().parents[2] / "build" / "site-source" / "_extra")]
