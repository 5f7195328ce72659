"""A run as a small table for notebooks."""

from html import escape

from fieldwise.model.summary import Metric
from fieldwise.store.manifest import Manifest


def run_html(manifest: Manifest) -> str:
    """A heading, the gates, and every evaluator's metrics with their intervals."""
    state = "unfinished" if manifest.finished is None else f"exit {manifest.exit_code}"
    head = f"<p><b>{escape(manifest.name)}</b> {escape(manifest.id)}: {manifest.summary.cases} cases, {state}</p>"
    gates = "".join(f"<li>{'passed' if gate.passed else 'failed'}: {escape(gate.message)}</li>" for gate in manifest.gates)
    rows = [
        _row(evaluator.name, name, metric)
        for evaluator in manifest.summary.evaluators.values()
        for name, metric in evaluator.metrics.items()
    ]
    titles = "".join(f"<th>{title}</th>" for title in ("evaluator", "metric", "value", "95 % interval", "n"))
    table = f"<table><thead><tr>{titles}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return head + (f"<ul>{gates}</ul>" if gates else "") + table


def _row(evaluator: str, name: str, metric: Metric) -> str:
    interval = "" if metric.low is None or metric.high is None else f"{metric.low:.4g} – {metric.high:.4g}"
    cells = (escape(evaluator), escape(name), f"{metric.value:.4g}", interval, str(metric.n))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
