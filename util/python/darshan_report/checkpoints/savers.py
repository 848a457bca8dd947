"""Table of the library functions that save or load the state of a program. A file that one of them
writes is a checkpoint. Programs also use the functions of rows with `repeated` for data and
results, so the files of these functions count only if they are saved repeatedly
(checkpoints/saves.py)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..call_sites.lines import Site
from ..call_sites.stack import Python
from ..classes import dataclass

_ANY = frozenset[str]()  # all functions of these files of Python code


@dataclass(frozen=True)
class Saver:
    """A library function that saves (or loads) the state of a program, and the files that it
    makes."""

    title: str  # as users know it: "torch.save"
    code: re.Pattern[str] | None = None  # pattern for the end of the path of the Python code
    functions: frozenset[str] = _ANY  # functions in that code, without the names of their classes
    # File extensions that identify a checkpoint without a call site.
    endings: frozenset[str] = frozenset()
    repeated: bool = False  # counts only if files are saved again and again
    shards: bool = False  # each process saves its own part
    advice: str = ""  # how to save less often, or while the program continues
    library: re.Pattern[str] | None = None  # pattern for the name of a compiled extension
    parts: str = ""  # advice if the files are not states, but parts of one object

    @property
    def by_name(self) -> str:
        """The saver's title for files that were recognized by their names, without call sites."""
        return f"{self.title} (by its name)" if self.endings else self.title


_VIEWS = (
    "If the files are parts of one tensor, save a copy of each part (part.clone()), because "
    "torch.save writes the whole storage of a view."
)


def _row(title: str, code: str, functions: str = "", endings: str = "", **more: object) -> Saver:
    return Saver(
        title,
        re.compile(rf"(?:^|/)(?:{code})") if code else None,
        frozenset(functions.split()),
        frozenset(endings.split()),
        **more,  # type: ignore[arg-type]
    )


_TORCH = (
    "Python: torch.distributed.checkpoint.async_save(state, checkpoint_id=path)  # PyTorch 2.3\n"
    "Python: pool.submit(torch.save, copy.deepcopy(state), path)  # pool: a ThreadPoolExecutor"
)
_COPY = "Python: pool.submit(save, copy.deepcopy(state), path)  # pool: a ThreadPoolExecutor"

# The outermost function of a stack that is in this table counts. If a function has several rows,
# the first row counts.
SAVERS = (
    _row(
        "Lightning's checkpoint",
        r"(?:pytorch_)?lightning(?:_fabric)?/.*(?:checkpoint|torch_io)[^/]*\.py$",
        "save_checkpoint",
        advice="Python: ModelCheckpoint(train_time_interval=timedelta(minutes=30))\n"
        "Python: Trainer(plugins=[AsyncCheckpointIO()])",
    ),
    _row(
        "transformers' checkpoint",
        r"transformers/(?:trainer|modeling_utils)\.py$",
        "_save_checkpoint save_pretrained",
        advice="Python: TrainingArguments(save_strategy='steps', save_steps=many)",
    ),
    _row(
        "DeepSpeed's checkpoint",
        r"deepspeed/runtime/.*\.py$",
        "save_checkpoint",
        shards=True,
        advice=_TORCH,
    ),
    _row(
        "torch.distributed.checkpoint",
        r"torch/distributed/checkpoint/.*\.py$",
        endings="distcp",
        shards=True,
        advice=_TORCH.split("\n", 1)[0],
    ),
    _row(
        "torch.save",
        r"torch/serialization\.py$",
        "save",
        "pt pth ckpt",
        advice=_TORCH,
        parts=_VIEWS,
    ),
    _row("torch.jit.save", r"torch/jit/_serialization\.py$", "save"),
    _row(
        "safetensors",
        r"safetensors/\w+\.py$",
        "save_file save_model",
        "safetensors",
        advice=_COPY,
    ),
    _row(
        "orbax",
        r"orbax/checkpoint/.*\.py$",
        shards=True,
        advice="Python: orbax.checkpoint.CheckpointManagerOptions(save_interval_steps=many, "
        "enable_async_checkpointing=True)",
    ),
    _row("flax.training.checkpoints", r"flax/training/checkpoints\.py$", advice=_COPY),
    _row(
        "TensorFlow's checkpoint",
        r"tensorflow/python/(?:checkpoint/checkpoint|training/saver)\.py$",
        "save write",
        advice="Python: tf.train.CheckpointOptions(enable_async=True)",
    ),
    _row(
        "Keras' saving",
        r"keras/(?:src/)?(?:saving|models|engine|callbacks|export)/.*\.py$",
        "save save_model save_weights save_weights_only",
        "keras",
        advice="Python: keras.callbacks.ModelCheckpoint(path, save_freq=many_batches)",
    ),
    _row("joblib.dump", r"joblib/numpy_pickle\.py$", "dump", "joblib", repeated=True, advice=_COPY),
    _row(
        "numpy.savez",
        r"numpy/lib/_?npyio(?:_impl)?\.py$",
        "savez savez_compressed",
        "npz",
        repeated=True,
        advice=_COPY,
    ),
    _row(
        "numpy.save",
        r"numpy/lib/_?npyio(?:_impl)?\.py$",
        "save",
        "npy",
        repeated=True,
        advice=_COPY,
    ),
    # Its functions are compiled; in Debian's Python they are part of the interpreter.
    _row(
        "pickle.dump",
        r"pickle\.py$",
        "dump _dump",
        "pkl pickle",
        repeated=True,
        advice=_COPY,
        library=re.compile(r"_pickle\.(?:[^/]*\.)?so$"),
    ),
    _row("HDF5", "", endings="h5 hdf5", repeated=True, advice=_COPY),
)
# Functions that load a saved state.
LOADERS = (
    _row(
        "transformers' from_pretrained",
        r"transformers/modeling_utils\.py$",
        "from_pretrained _from_pretrained",
    ),
    _row("torch.distributed.checkpoint", r"torch/distributed/checkpoint/.*\.py$"),
    _row("torch.load", r"torch/serialization\.py$", "load"),
    _row("torch.jit.load", r"torch/jit/_serialization\.py$", "load"),
    _row("safetensors", r"safetensors/\w+\.py$", "load_file load_model"),
    _row("orbax", r"orbax/checkpoint/.*\.py$"),
    _row("flax.training.checkpoints", r"flax/training/checkpoints\.py$"),
    _row(
        "TensorFlow's checkpoint",
        r"tensorflow/python/(?:checkpoint/checkpoint|training/saver)\.py$",
        "restore read",
    ),
    _row(
        "Keras' loading",
        r"keras/(?:src/)?(?:saving|models|engine)/.*\.py$",
        "load_model load_weights",
    ),
    _row("joblib.load", r"joblib/numpy_pickle\.py$", "load"),
    _row("numpy.load", r"numpy/lib/_?npyio(?:_impl)?\.py$", "load", repeated=True),
)
# Paths of the files in which orbax stores arrays. TensorStore's threads write them, without a frame
# of Python.
_OF_ORBAX = re.compile(r"/ocdbt\.process_[\d*]+/|\.orbax-checkpoint-tmp")
# Names of files that show that the file is a checkpoint, no matter which function writes it.
NAMED = Saver("its name", advice=_COPY)
_NAME = re.compile(r"check-?_?point|ckpt|restart|(?<![a-z])chk(?![a-z])", re.IGNORECASE)


def _of_function(frame: Python, rows: Sequence[Saver]) -> Saver | None:
    function = frame.function.replace(".<locals>", "").rsplit(".", 1)[-1]
    for saver in rows:
        if saver.code is None or not saver.code.search(frame.path):
            continue
        if not saver.functions or function in saver.functions:
            return saver
    return None


def _of_library(site: Site) -> Saver | None:
    """Returns the saver whose compiled code made the calls; None if there is none."""
    for place in site.places:
        if not place.object:
            return None  # a Python frame: only code that it called is compiled
        path = place.object
        found = (s for s in SAVERS if s.library is not None and s.library.search(path))
        if (saver := next(found, None)) is not None:
            return saver
    return None


def _outermost(site: Site, rows: Sequence[Saver]) -> Saver | None:
    frames = [frame for frame in site.stack.frames if isinstance(frame, Python)]
    found = (_of_function(frame, rows) for frame in reversed(frames))
    return next((saver for saver in found if saver is not None), None)


def saver_of(site: Site) -> Saver | None:
    """Returns the row of SAVERS whose function is outermost among the frames of a site. If there is
    none, returns the saver whose compiled library made the calls, or None."""
    return _outermost(site, SAVERS) or _of_library(site)


def loader_of(site: Site) -> Saver | None:
    """Returns the row of LOADERS whose function is outermost among the frames of a site; None if
    there is none."""
    return _outermost(site, LOADERS)


_ORBAX = next(saver for saver in SAVERS if saver.title == "orbax")
# The first row of SAVERS counts.
_BY_ENDING = {ending: saver for saver in reversed(SAVERS) for ending in saver.endings}


def saver_by_name(name: str) -> Saver | None:
    """Returns the saver whose files have such a name (extension or words like "checkpoint"); None
    if there is none."""
    if _OF_ORBAX.search(name):
        return _ORBAX
    last = name.rsplit("/", 1)[-1]
    ending = last.rsplit(".", 1)[-1].lower() if "." in last[1:] else ""
    found = _BY_ENDING.get(ending)
    if _NAME.search(last) and (found is None or found.repeated):
        return Saver(found.title, advice=found.advice) if found else NAMED
    return found
