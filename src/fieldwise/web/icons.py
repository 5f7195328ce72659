"""Small drawings."""

from collections.abc import Sequence

from markupsafe import Markup

WIDTH, HEIGHT = 84, 22


def sparkline(values: Sequence[float | None], title: str = "") -> Markup:
    """Numbers as a line, oldest first, with a dot at the last; a gap where there is none.

    Shares (0 to 1) keep their meaning: what moved little looks so. Other numbers span the height.

    >>> str(sparkline([0.5, 1.0]))[:61]
    '<svg class="spark" viewBox="0 0 84 22" width="84" height="22"'
    """
    low, span = _scale([value for value in values if value is not None])
    step = (WIDTH - 8) / max(len(values) - 1, 1)
    points = [
        None if value is None else (4 + place * step, HEIGHT - 4 - (value - low) / span * (HEIGHT - 8))
        for place, value in enumerate(values)
    ]
    if len(values) == 1 and points[0] is not None:  # nothing to compare it with
        points = [(WIDTH - 4, HEIGHT / 2)]
    lines = Markup("").join(Markup('<polyline points="{}"/>').format(line) for line in _lines(points))
    last = next((point for point in reversed(points) if point is not None), None)
    dot = Markup('<circle cx="{:.1f}" cy="{:.1f}" r="2.4"/>').format(*last) if last else ""
    told = title or f"last {sum(point is not None for point in points)} runs"
    return Markup('<svg class="spark" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">{}{}</svg>').format(
        WIDTH, HEIGHT, WIDTH, HEIGHT, told, lines, dot
    )


def _scale(known: Sequence[float]) -> tuple[float, float]:
    """What stands at the bottom, and how much the height spans."""
    if not known or (min(known) >= 0 and max(known) <= 1):
        low = min([*known, 0.9])
        return low, max(1.0 - low, 0.05)
    low, high = min(known), max(known)
    return (low, high - low) if high > low else (low - 0.5, 1.0)


def _lines(points: Sequence[tuple[float, float] | None]) -> list[str]:
    """The stretches without a gap, as SVG writes them."""
    found: list[list[str]] = [[]]
    for point in points:
        if point is None:
            found.append([])
        else:
            found[-1].append(f"{point[0]:.1f},{point[1]:.1f}")
    return [" ".join(some) for some in found if len(some) > 1]
