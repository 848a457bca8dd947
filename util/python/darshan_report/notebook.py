"""Shows a log in a Jupyter notebook: the HTML that _repr_html_ returns."""

from __future__ import annotations

from .log import Log
from .report.context import Context
from .show.markup import escaped, table
from .units import amount, duration, plural, seconds


def _layers(context: Context) -> str:
    rows = [
        (
            figures.layer.title,
            f"{figures.files.number:,}",
            *(amount(m) if figures.moves_bytes else "-" for m in (figures.read, figures.written)),
            *(
                "-" if t is None else seconds(t)
                for t in (figures.read_time, figures.write_time, figures.meta_time)
            ),
        )
        for figures in context.figures
    ]
    if not rows:
        return "<p>The log contains no record of I/O.</p>"
    heads = ("Layer", "Files", "Read", "Written", "Read time", "Write time", "Metadata time")
    return table(heads, rows, 1) + "<p>Times: sums over processes. Layers overlap.</p>"


def log_html(log: Log) -> str:
    """Returns HTML with the log's path, command line and state, and a table of the transfers of
    each layer. A closed log has no table; damaged modules are named."""
    info, context = log.info, Context(log)
    # The run time of a journal ends with its last call, so the records must be read to compute it.
    state = "has not finished" if info.live else f"ran for {duration(context.run_time)}"
    parts = [
        f"<p><b>{escaped(log.path)}</b></p>",
        f"<p><code>{escaped(info.exe.strip()) or '(no command line)'}</code> {state}, "
        f"{plural(info.nprocs, 'process')}.</p>",
    ]
    parts.append("<p>The log is closed.</p>" if log.closed else _layers(context))
    parts += [f"<p>{escaped(module)}: {escaped(why)}</p>" for module, why in context.damaged]
    return f"<div>{''.join(parts)}</div>"
