# SPDX-License-Identifier: Apache-2.0
"""The notebooks run from top to bottom, are kept without outputs, and show what they say."""
import pathlib

import nbclient
import nbformat
import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks"
NAMES = ["ten-minutes", "own-traffic", "all-reduce-front", "hypercube-lecture"]
SHOWN = {"ten-minutes": ["text/html"], "own-traffic": ["image/svg+xml"], "all-reduce-front": ["image/png", "image/svg+xml"],
         "hypercube-lecture": ["image/svg+xml", "text/html"]}


def test_notebooks_are_kept_without_outputs():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(NAMES)
    for name in NAMES:
        book = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
        nbformat.validate(book)
        for cell in book.cells:
            assert not cell.get("outputs") and cell.get("execution_count") is None


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name, tmp_path):
    book = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(book, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    kinds = {kind for cell in book.cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
    assert kinds.issuperset(SHOWN[name])
    assert not any(output["output_type"] == "error" for cell in book.cells for output in cell.get("outputs", []))
