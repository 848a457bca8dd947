"""The style of all plots. Its three fills differ both in colour and in greyscale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import RcKeyType

# Okabe and Ito's blue and orange: they differ for every common form of colour blindness, and one is
# dark and one light in greyscale. The third fill has a hatch.
READ: dict[str, Any] = {"facecolor": "#0072B2"}
WRITE: dict[str, Any] = {"facecolor": "#E69F00"}
OTHER: dict[str, Any] = {"facecolor": "#FFFFFF", "edgecolor": "#555555", "hatch": "/////"}
EDGE = {"edgecolor": "#333333", "linewidth": 0.4}

FONT = 7  # points
SMALL = 5.5  # points; for values next to bars that are close together
LETTER = 1.35  # mm, mean width of a character at font size FONT

SETTINGS: dict[RcKeyType, Any] = {
    "pdf.fonttype": 42,  # TrueType, embedded as a subset
    "font.family": ["DejaVu Sans"],
    "font.size": FONT,
    "axes.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.4,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.major.size": 2,
    "ytick.major.size": 2,
    "legend.frameon": False,
    "legend.fontsize": FONT,
    "axes.unicode_minus": False,
}


def left_margin(labels: Sequence[str]) -> float:
    """Returns the width in mm that row labels need left of the axes."""
    return 4 + LETTER * max(map(len, labels), default=0)


def fill(kind: dict[str, Any]) -> dict[str, Any]:
    """Returns arguments of matplotlib's bar(): a fill, with the edge that all bars have."""
    return {**EDGE, **kind}


def rows(axes: Axes, labels: Sequence[str], longest: float, unit: str) -> None:
    """Sets up axes for horizontal bars, the first label on top. longest: the largest value. unit:
    label of the value axis. value() writes the numbers next to the bars."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(max(len(labels), 3) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    # A third of the width is for the values next to the bars.
    axes.set_xlim(0, longest * 1.35 if longest > 0 else 1)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    # Aligned to the right edge, the label may extend below wide row labels.
    axes.set_xlabel(unit, labelpad=2, loc="right")


def value(axes: Axes, length: float, row: float, text: str, size: float = FONT) -> None:
    """Writes a number next to the end of a bar. length: of the bar. row: index of the bar."""
    axes.annotate(
        text,
        (length, row),
        xytext=(2, 0),
        textcoords="offset points",
        va="center_baseline",
        fontsize=size,
    )


def legend(axes: Axes, columns: int, size: float = FONT) -> None:
    """Adds a legend above the axes. columns: number of columns. size: of the font, in points."""
    axes.legend(
        fontsize=size,
        loc="lower right",
        bbox_to_anchor=(1.0, 0.985),
        ncols=columns,
        borderaxespad=0,
        handlelength=1.2,
        handleheight=0.8,
        columnspacing=1.2,
    )
