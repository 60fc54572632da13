# SPDX-License-Identifier: Apache-2.0
"""One source of truth: what Python says of options, errors, schemes and findings is what the C tables and the header say."""
import os
import pathlib
import re
import subprocess

import pytest

import carillon
from carillon._native import ffi, lib

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = (ROOT / "host/include/carillon/carillon.h").read_text()


def test_there_is_an_exception_for_each_error():
    codes = {name: int(number) for name, number in re.findall(r"^    (CRL_ERR_\w+) = (-\d+)", HEADER, re.M)}
    assert sorted(codes.values()) == sorted(carillon.CarillonError.by_code) and len(codes) == 15
    row, rows = ffi.new("struct carillon_error *"), {}
    while lib.carillon_error_at(len(rows), row):
        rows[row.code] = ffi.string(row.name).decode(), ffi.string(row.text).decode()
    assert {name.removeprefix("CRL_ERR_").lower(): code for name, code in codes.items()} == {n: c for c, (n, _) in rows.items()}
    for code, kind in carillon.CarillonError.by_code.items():
        assert getattr(carillon, kind.__name__) is kind and kind.code == code
        assert kind.__doc__.lower() == rows[code][1].lower() + "."


def test_options_are_those_of_the_table():
    count = ffi.new("size_t *")
    rows = lib.carillon_option_table(count)
    names = [ffi.string(rows[i].name).decode() for i in range(count[0])]
    assert list(carillon.options()) == [name.replace("-", "_") for name in names]
    said = dict(re.findall(r"^    (\w+): (.*)$", carillon.plan.__doc__.split("options:\n")[1], re.M))
    assert said == {name: option.help for name, option in carillon.options().items()}
    for name, option in carillon.options().items():  # each is known to the library, whatever it then says of the value
        with pytest.raises(carillon.CarillonError) as error:
            carillon.Problem("broadcast", "ring:", **{name: True if option.is_flag else "x"})
        assert "there is no option" not in str(error.value)


def test_lists_are_the_programs():
    listed = {(row.algorithm, row.scheme, row.topology) for row in carillon.algorithms()}
    assert len(listed) > 50 and ("total-exchange", "recursive") in {row[:2] for row in listed}
    told = subprocess.run([os.environ["CARILLON"], "list", "--json"], capture_output=True, text=True, check=True).stdout
    for row in carillon.algorithms():
        assert row.scheme in told and row.algorithm in told
    assert "hypercube:D" in carillon.networks() and carillon.formats()[:2] == ["csv", "json"]


def test_findings_are_explained():
    assert carillon.finding_kinds()["no-link"].is_error
    for name, kind in carillon.finding_kinds().items():
        assert carillon.explain(name) == f"{kind.summary} {kind.advice}"
    with pytest.raises(carillon.ArgumentError):
        carillon.explain("nothing")


def test_fields_of_fabrics_are_the_structs():
    from carillon.running import _EMISSION

    body = re.search(r"struct carillon_emission \{(.*?)\n\};", HEADER, re.S)[1]
    names = re.findall(r"(\w+);", re.sub(r"//.*", "", body))
    assert [*_EMISSION] == [name for name in names if name != "directory"]


def test_everything_public_is_told():
    for name in carillon.__all__:
        assert getattr(carillon, name).__doc__, name
    assert carillon.__version__ == re.search(r'CARILLON_VERSION "(.*?)"', HEADER)[1]
    assert f'version = "{carillon.__version__}"' in (ROOT / "python/pyproject.toml").read_text()
