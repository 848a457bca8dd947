"""The section about HDF5 datasets and files: which calls of lower layers they caused."""

from __future__ import annotations

from ...measure.layers.attribution import Attribution, Upper
from ...show.model import Block, Heading, Paragraph, PlotRow
from ...show.text import shorten_all
from ...units import amount, plural, seconds, share
from ..context import Context
from ..plots import layers_below
from .dataset_tables import Name, bytes_table, endings, factor, files_table, time_table
from .metadata_tables import calls_table, raw_table

TOP = 10
_NAME = 34  # characters of a dataset's name in a table
_FILE = 12  # characters of these for its file
_LABEL = 20  # next to a bar
_AGAIN = 2.0  # mean number of reads per byte from which on the text names a dataset


def _split_name(context: Context, attribution: Attribution, dataset: Upper) -> tuple[str, str]:
    """Returns the path of a dataset's file, and the dataset's path in that file."""
    name, file = context.name(dataset.id), attribution.file_of(dataset.id)
    prefix = f"{context.log.name(file) or ''}:" if file is not None else ""
    if len(prefix) > 1 and name.startswith(prefix):
        return prefix[:-1], name[len(prefix) :]
    return "", name


def _names(context: Context, attribution: Attribution, datasets: list[Upper]) -> list[Name]:
    """Returns two names of each dataset: for the table, with the file's name if there are several
    files; and for the bars of plots, with the dataset's number. Long names are cut; the parts in
    which they differ are kept."""
    split = [_split_name(context, attribution, d) for d in datasets]
    one_file = len({file for file, _ in split}) == 1
    files = shorten_all([file.rpartition("/")[2] for file, _ in split], _FILE)
    starts = ["" if one_file or not file else f"{file}:" for file in files]
    paths = [path for _, path in split]
    ends = endings(paths, _NAME - max(map(len, starts)))
    labels = endings(paths, _LABEL)
    return [
        Name(start + end, f"{number} {label}")
        for number, (start, end, label) in enumerate(zip(starts, ends, labels), 1)
    ]


def _summary(attribution: Attribution) -> str:
    whole = attribution.everything
    time = whole.time()
    text = (
        f"Calls on {plural(attribution.num_datasets, 'dataset')} and "
        f"{plural(attribution.num_files, 'file')} of HDF5 took {seconds(time)} (sum over "
        f"processes): {share(whole.own_time(), time)} of it in HDF5 itself, "
        f"{share(whole.lower_time(), time)} in the POSIX calls that it made"
    )
    if whole.mpi_time() > 0:
        text += (
            f", {share(whole.mpiio_time(), time)} in MPI-IO between the two and "
            f"{share(whole.communication_time(), time)} in MPI communication"
        )
    text += "."
    if whole.asked > 0:
        text += (
            f" {amount(whole.asked)} were requested, {amount(whole.moved())} were moved: "
            f"{factor(whole.amplification)} times as much."
        )
    return text


def _worst(names: list[Name], datasets: list[Upper]) -> list[Block]:
    """Returns a sentence about the dataset whose bytes POSIX read most often; [] if that is fewer
    than _AGAIN times."""
    often = [(d.again("READ") or 0.0, name.full) for name, d in zip(names, datasets)]
    times, name = max(often)
    if times < _AGAIN:
        return []
    return [Paragraph(f"POSIX read each distinct byte of {name} {factor(times)} times.", True)]


def _repeated(attribution: Attribution, names: list[Name], datasets: list[Upper]) -> list[Block]:
    """Returns a sentence about the dataset that the program itself read most often; [] if that is
    fewer than _AGAIN times. Compressed values take few bytes in the file, so the factor in the
    table does not show such repetition."""
    found = []
    for name, dataset in zip(names, datasets):
        size, read = attribution.size_of(dataset.id), dataset.counters["BYTES_ASKED_READ"]
        if size > 0 and not name.full.endswith(">"):  # a record of several datasets
            found.append((read / size, name.full, f"{amount(read)} of {amount(size)}"))
    times, name_of_it, bytes_of_it = max(found, default=(0.0, "", ""))
    if times < _AGAIN:
        return []
    text = f"The program read {factor(times)} times the size of {name_of_it}: {bytes_of_it}."
    return [Paragraph(text, True)]


def blocks(context: Context) -> list[Block]:
    """Returns the section; [] if the log does not record which dataset or HDF5 file caused a
    call."""
    attribution = context.attribution
    if attribution is None or not (attribution.num_datasets or attribution.num_files):
        return []
    title = "How your datasets turned into file-system calls"
    found: list[Block] = [Heading(title)]
    found.append(Paragraph(_summary(attribution), strong=True))
    datasets = attribution.datasets(TOP)
    if datasets:
        names = _names(context, attribution, datasets)
        labels = [name.label for name in names]
        numbers = [str(i) for i in range(1, len(names) + 1)]
        found += _worst(names, datasets) + _repeated(attribution, names, datasets)
        left = attribution.num_datasets - len(datasets)
        if left > 0:
            text = f"The {len(datasets)} datasets with the most time; {left:,} more are not shown."
            found.append(Paragraph(text))
        found.append(
            PlotRow((layers_below.times(datasets, labels), layers_below.sizes(datasets, numbers)))
        )
        found.append(Heading("Bytes of the datasets", level=1))
        found.append(bytes_table(names, datasets))
        found += raw_table(names, datasets)
        found.append(Heading("Time and storage of the datasets", level=1))
        found.append(time_table(attribution, datasets))
    if attribution.num_files:
        found.append(Heading("Time in the files themselves", level=1))
        found.append(files_table(context, attribution, TOP))
        found += calls_table(context, attribution, TOP)
    return found
