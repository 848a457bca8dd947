"""Names of Rust's functions are shown as programmers write them, for both forms of mangled
symbols."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from darshan_report.call_sites.symbols import rust
from lab.command import finished
from place import needs

# Symbols of the standard library and of programs, with the name that must be shown.
NAMES = {
    "_RNvXsb_NtCsjrHSEGnQ3l9_3std2fsNtB5_4FileNtNtB7_2io5Write5write": "std::fs::File::write",
    "_RINvNtCsjrHSEGnQ3l9_3std2io19default_read_to_endNtNtB4_2fs4FileEB4_":
        "std::io::default_read_to_end",
    "orig::main::h0b09aa779fff4fc5": "orig::main",
    "std::rt::lang_start::_$u7b$$u7b$closure$u7d$$u7d$::h9c0cfc1ff1e2d045":
        "std::rt::lang_start::{closure}",
    "_$LT$std..io..Adapter$LT$T$GT$$u20$as$u20$core..fmt..Write$GT$::write_str::h9f345d94a1c2dff1":
        "std::io::Adapter::write_str",
    "<std::io::Lines<B> as core::iter::traits::iterator::Iterator>::next": "std::io::Lines::next",
    "main": "main",
    "operator<<": "operator<<",
    "std::vector<int>::push_back(int const&)": "std::vector<int>::push_back(int const&)",
}  # fmt: skip
# Invalid symbols, which a hostile file may contain.
BAD = ("_R", "_RN", "_RNv", "_RB_", "_RNvB_1a", "_RNvB0_1a", "_RC999999999a", "_RNvC1au3___1_",
       "_RIC1a" + "S" * 9000, "_RN" * 3000, "_RINvC1a1b" + "T" * 500 + "E" * 501,
       "_RMs" + "z" * 99)  # fmt: skip


@pytest.mark.parametrize("symbol", NAMES)
def test_plain(symbol: str) -> None:
    """A symbol of Rust has this name, and functions of the standard library are recognized."""
    assert rust.plain(symbol) == NAMES[symbol]
    assert rust.is_standard(NAMES[symbol]) == NAMES[symbol].startswith("std::")


@pytest.mark.parametrize("symbol", BAD, ids=lambda symbol: symbol[:20])
def test_bad_symbols(symbol: str) -> None:
    """For an invalid symbol the function returns some text, and raises no exception."""
    assert isinstance(rust.plain(symbol), str)


def test_symbols_of_a_program(tmp_path: Path) -> None:
    """For each symbol of a Rust program, the shown name ends like the name that c++filt prints."""
    needs("rust", "program:nm", "program:c++filt")
    source = tmp_path / "a.rs"
    source.write_text(
        "use std::collections::BTreeMap;\n"
        'fn main() { let mut all = BTreeMap::new(); all.insert(1u8, ["x"; 3]);\n'
        '  println!("{:?}", all.iter().map(|(k, v)| (v, k)).collect::<Vec<_>>()); }\n'
    )
    command = ["rustc", "-Csymbol-mangling-version=v0", "-o", tmp_path / "a", source]
    done = finished(command)
    assert done.returncode == 0, done.stderr
    listed = subprocess.run(["nm", tmp_path / "a"], capture_output=True, text=True, check=True)
    symbols = [word for word in listed.stdout.split() if word.startswith("_R")]
    assert len(symbols) > 100
    known = subprocess.run(["c++filt"], input="\n".join(symbols), capture_output=True, text=True,
                           check=True).stdout.split("\n")  # fmt: skip
    for symbol, name in zip(symbols, known):
        last = name.rsplit("::", 1)[-1].partition("[")[0]
        if last.isidentifier() and name != symbol:
            assert rust.plain(symbol).endswith(last), (symbol, name)
