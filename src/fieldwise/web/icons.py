"""Small drawings."""

from collections.abc import Sequence

from markupsafe import Markup

WIDTH, HEIGHT = 84, 22


def sparkline(values: Sequence[float | None], title: str = "") -> Markup:
    """Numbers from 0 to 1 as a line, oldest first, with a dot at the last; a gap where there is none.

    >>> str(sparkline([0.5, 1.0]))[:61]
    '<svg class="spark" viewBox="0 0 84 22" width="84" height="22"'
    """
    known = [value for value in values if value is not None]
    low = min([*known, 0.9]) if known else 0.0
    span = max(1.0 - low, 0.05)
    step = (WIDTH - 8) / max(len(values) - 1, 1)
    points = [
        (4 + place * step, HEIGHT - 4 - (value - low) / span * (HEIGHT - 8)) for place, value in enumerate(values) if value is not None
    ]
    if len(points) == 1:  # nothing to compare it with
        points = [(WIDTH - 4, HEIGHT / 2)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dot = Markup('<circle cx="{:.1f}" cy="{:.1f}" r="2.4"/>').format(*points[-1]) if points else ""
    told = title or f"last {len(known)} runs"
    return Markup(
        '<svg class="spark" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}"><polyline points="{}"/>{}</svg>'
    ).format(WIDTH, HEIGHT, WIDTH, HEIGHT, told, path, dot)
