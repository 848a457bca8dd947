"""The counters that the report's table of layers names exist in the log format."""

from __future__ import annotations

import pytest
from darshan_report import module_by_name
from darshan_report.measure.layers.layers import LAYERS, SIZES, Layer

BY_NAME = [pytest.param(layer, id=layer.module) for layer in LAYERS]


@pytest.mark.parametrize("layer", BY_NAME)
def test_names_exist(layer: Layer) -> None:
    """Each counter from which an operation is computed exists in the layer's module, is summed over
    ranks and is a count."""
    module = module_by_name(layer.module)
    assert module is not None
    counters = {c.name: c for c in module.counters}
    for _label, plus, minus in layer.operations:
        for name in plus + minus:
            counter = counters[layer.counter(name)]
            assert counter.summed and counter.unit == "count", counter
    prefixes = {name.partition("_F_")[0] for name in (c.name for c in module.fcounters)}
    assert prefixes == {layer.prefix}


@pytest.mark.parametrize("layer", BY_NAME)
def test_histogram(layer: Layer) -> None:
    """The module of a layer has counters for all sizes of a histogram, in the report's order, or
    for none."""
    module = module_by_name(layer.module)
    assert module is not None
    for kind in ("READ", "WRITE"):
        start = layer.counter(f"SIZE_{kind}_{layer.size_names}")
        table = [c.name[len(start) :] for c in module.counters if c.name.startswith(start)]
        assert table in ([], [end for end, _ in SIZES])


def test_every_rated_layer_has_what_the_estimate_needs() -> None:
    """Every layer with an estimated rate has the counters that performance() reads without a
    check."""
    rated = [layer for layer in LAYERS if layer.rated]
    assert {layer.module for layer in rated} == {"POSIX", "MPI-IO", "STDIO", "DFS", "DAOS"}
    for layer in rated:
        module = module_by_name(layer.module)
        assert module is not None
        for name in ("BYTES_READ", "F_SLOWEST_RANK_TIME", "F_META_TIME", "F_READ_TIME"):
            assert module.has(layer.counter(name))
