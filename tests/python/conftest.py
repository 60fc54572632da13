# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory):
    """Plans that searches found are not those of an earlier run."""
    os.environ.setdefault("CARILLON_CACHE", str(tmp_path_factory.mktemp("cache")))
