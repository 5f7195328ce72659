"""`fieldwise explain`: the arithmetic of a score, from the stored run."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from fieldwise.cli._formats import Everything, TextForm, TextFormat

if TYPE_CHECKING:
    from fieldwise.store.reading import StoredResult
    from fieldwise.store.run import Run


def explain(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's id, the beginning of one, or latest.")],
    case: Annotated[str, typer.Argument(metavar="CASE", help="A case's id.")],
    field: Annotated[Optional[str], typer.Argument(metavar="[FIELD]", help="A field, to see that alone.")] = None,  # noqa: UP045
    evaluator: Annotated[Optional[str], typer.Option(help="Only this evaluator.")] = None,  # noqa: UP045
    picture: Annotated[Optional[Path], typer.Option(metavar="FILE.svg", help="Draw the case's boxes there.")] = None,  # noqa: UP045
    form: TextForm = TextFormat.rich,
    everything: Everything = False,
) -> None:
    """Show the arithmetic of a score, to be checked by hand."""
    from fieldwise.cli._lookup import found_run, results_of_case

    stored = found_run(run)
    results = results_of_case(stored, case, evaluator)
    if picture is not None:
        _draw(stored, case, results, picture)
    if form == TextFormat.json:
        from fieldwise.report.json_report import result_json
        from fieldwise.report.safe import json_text

        typer.echo(json_text([result_json(one.case, one.evaluator, one.result) for one in results]))
        return
    _print(stored, case, field, results, form, everything)


def _print(stored: "Run", case: str, field: str | None, results: "list[StoredResult]", form: TextFormat, everything: bool) -> None:
    from fieldwise.cli._console import room, show
    from fieldwise.cli._lookup import no_field
    from fieldwise.report.explain import explain_field, explain_result
    from fieldwise.report.parts import DIM, TITLE, stack, text
    from fieldwise.score.causes import describe

    fit = room(form, everything=everything)
    causes = {one.cause for each in results for one in each.result.comparisons if one.cause}
    advice = {cause: describe(cause) for cause in causes}
    types = {str(one["name"]): str(one["type"]) for one in stored.manifest.evaluators}
    written = written_options(stored)
    pages = [
        explain_field(one.evaluator, field, one.result, advice, fit)
        if field
        else explain_result(
            one.evaluator,
            types[one.evaluator],
            one.result,
            written.get(one.evaluator, {}),
            {cause: label for cause, (label, _) in advice.items()},
            fit,
        )
        for one in results
    ]
    if not any(pages):
        raise no_field(field or "", case, results)
    show(stack(text((case, TITLE), (f"  {stored.name} {stored.id}", DIM)), *pages), form)


def written_options(stored: "Run") -> dict[str, Mapping[str, Any]]:
    """What the stored suite says of each evaluator, by its name; nothing where the suite was no file."""
    from fieldwise.model.diagnostic import ConfigError
    from fieldwise.read.suite import read_document

    try:
        suite = read_document(text=stored.manifest.suite, file=stored.manifest.suite_file).value
    except ConfigError:
        return {}
    written = suite.get("evaluators", ())
    return {str(one.get("name", one.get("type"))): one for one in written if isinstance(one, Mapping)}


def _draw(stored: "Run", case: str, results: "list[StoredResult]", target: Path) -> None:
    """The boxes of the case, as the first evaluator that has any sees them."""
    from fieldwise.cli._lookup import no_picture
    from fieldwise.plan.evaluators import plan_config
    from fieldwise.read.load import load_json
    from fieldwise.report.picture import case_picture

    written = written_options(stored)
    folder = Path(stored.manifest.suite_file or ".").parent
    for one in results:
        options = written.get(one.evaluator)
        if options is None or options.get("type") not in ("iou_score", "detection"):
            continue
        planned = plan_config(options, load=lambda path: load_json(folder / path))
        drawing = case_picture(stored.case(case), one.result, planned.config)
        if drawing is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(drawing, encoding="utf-8")
            typer.echo(f"wrote {target}", err=True)
            return
    raise no_picture(case)
