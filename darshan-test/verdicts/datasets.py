"""Rows about HDF5 and netCDF datasets that one process writes and reads."""

from __future__ import annotations

from dataclasses import replace

from row import FAR, HERE, Row


def rows() -> list[Row]:
    """Returns the rows of the programs fields.py, chunks.py and fields.c."""

    def field(case: str, finding: str, remedy: str, place: str = FAR) -> Row:
        return Row("fields.py", case, finding, remedy, place)

    def in_c(case: str, finding: str, remedy: str) -> Row:
        return Row("fields.c", case, finding, remedy)

    return [
        field("fill-many", "fill-values", "H5Pset_fill_time"),
        field("open-each", "hdf5-opened-again", "Open once"),
        field("many-attributes", "many-objects", "array", HERE),
        field("many-datasets", "many-objects", "array"),
        field("element-writes", "element-wise", "block"),
        field("element-reads", "element-wise", "block", HERE),
        field("flush-steps", "flush-per-chunk", "H5Fflush"),
        field("flush-dataset", "flush-per-chunk", "H5Dflush"),
        field("append-flush", "element-wise flush-per-chunk", "flush the file then", HERE),
        field("small-chunks", "chunk-size-small", "H5Pset_chunk"),
        field("append-rows", "chunk-size-small", "H5Pset_chunk"),
        field("one-of-a-chunk", "chunk-size-large", "h5repack"),
        field("cache-misses", "chunk-cache", "rdcc_nbytes"),
        replace(
            field("names-shuffled", "chunk-cache", "Do both: keep the dataset open", HERE),
            says=("lost with each close, and too small", r"rdcc_nbytes=1[67]\d{6}"),
        ),
        *(
            Row("chunks.py", case, "chunks-rewritten", word, place=HERE)
            for case, word in (
                ("series-by-step", "with one call"),
                ("append-packed", "rdcc_nbytes"),
                ("nc-append-packed", "nc_set_var_chunk_cache"),
            )
        ),
        field("sieved-reads", "sieve-buffer-read", "H5Pset_sieve_buf_size", HERE),
        field("sieved-writes", "sieve-buffer-write", "H5Pset_sieve_buf_size", HERE),
        replace(
            field("noise-compressed", "little-compression", "no deflate", HERE),
            never=("shuffle their bytes first",),
        ),
        field("slow-deflate", "slow-compression", "low level", HERE),
        field("text-values", "variable-length", "fixed length", HERE),
        field("text-packed", "variable-length", "fixed length", HERE),
        field("column-of-rows", "across-the-grain", "H5Pset_chunk"),
        replace(
            field("rows-picked", "scattered-selection-reads", "pick the rows in memory", HERE),
            never=("Keep the data in memory",),
        ),
        replace(
            in_c("rows-chosen", "scattered-selection-reads", "pick the rows in memory"),
            place=HERE,
            settings=(("DARSHAN_SITES", "1"),),
            says=(r"Before this read, .* of 9,000 pieces takes time that grows with the square",),
            never=("Your I/O is fine",),
        ),
        field("rows-placed", "scattered-selection-writes", "write the range", HERE),
        replace(
            field("nc-diskless", "loaded-whole", "diskless=True", HERE),
            never=("selections are large",),
        ),
        field("nc-sync-step", "flush-per-chunk", "nc_sync"),
        field("nc-define-late", "header-moves", "NETCDF4", HERE),
        field("nc-element-writes", "element-wise", "block"),
        field("nc-open-each", "hdf5-opened-again", "Open once"),
        field("nc-prefill", "fill-values", "nc_set_fill"),
        replace(
            field("table-flush", "flush-per-chunk", "flush"),
            never=("lock protects this file",),
        ),
        field("many-leaves", "many-objects", "array"),
        field("paged-groups", "small-accesses-read", "through a buffer"),
        *(
            Row("fields.py", f"healthy-{case}", place=HERE)
            for case in (
                *("write", "chunks", "deflate", "records", "table", "checkpoints", "fields"),
                *("described", "rows", "words", "reopened", "filled", "synced"),
                "range",
            )
        ),
        *(
            Row("chunks.py", f"healthy-{case}", place=HERE)
            for case in ("appended", "latest", "steps")
        ),
        *(
            Row(
                "chunks.py",
                case,
                "objects-searched",
                "index",
                place=HERE,
                settings=(("DARSHAN_SITES", "1"),),
                says=("datasets of .* were opened .* times",),
            )
            for case in ("search-attributes", "search-values")
        ),
        Row("fields.py", "nc-in-memory", place=HERE),
        in_c("file-opens", "hdf5-opened-again", "Open once"),
        in_c("file-flushes", "flush-per-chunk", "H5Fflush"),
        in_c("fill-then-write", "fill-values", "H5Pset_fill_time"),
        in_c("dataset-flushes", "flush-per-chunk", "H5Dflush"),
        *(
            replace(in_c(case, finding, remedy), place=HERE)
            for case, finding, remedy in (
                ("attributes-many", "many-objects", "array"),
                ("elements", "element-wise", "block"),
                ("flush-deflated", "hdf5-file-time-inside", "filter"),
            )
        ),
        Row("fields.c", "pieces"),
        Row("fields.c", "attributes-healthy", place=HERE),
        Row("fields.c", "old-calls", place=HERE),
    ]
