"""Tool calls of a system against the expected ones: names, order and arguments.

Calls are read from any of these forms, also as JSON text:

* a list of calls or of their names
* messages with `tool_calls` or `toolCalls` (OpenAI and others), `tool_use` blocks (Anthropic), `toolUse` blocks (Bedrock) or
  `functionCall` parts (Gemini)
* `function_call` items of a response, `tools/call` requests of MCP
* objects with the name of the tool as their only key, `[{"search": {"query": "x"}}]`
* text with calls in `<tool_call>` tags or a fence of JSON, or in Python syntax, `[search(query="x")]`
* an object that holds one of these under `tool_calls`, `tools_called`, `messages`, `calls`, `trace`, `steps`, `output`, `content`,
  `choices` or `parts`

An expected argument may be several accepted ones: `{"$any": ["NYC", "New York"]}`; null among them accepts that it is left out.

>>> import fieldwise as fw
>>> config = {"type": "tool_trajectory", "mode": "in_order", "expected": ["search", {"tool": "fetch", "args": {"id": 7}}]}
>>> calls = [{"tool": "search", "args": {"query": "x"}}, {"tool": "fetch", "args": {"id": 8}}]
>>> result = fw.evaluate(config, actual=calls)
>>> result.score, result.hits, result.misses
(0.5, ['search'], ['fetch (arguments differ: id)'])
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from importlib import import_module
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.checks._case_path import case_path_problems, case_value
from fieldwise.evaluators.checks._recorded_calls import ToolCall, calls_in, has_unreadable_item
from fieldwise.kernels.assignment import assign_pairs
from fieldwise.kernels.values import canonical_json, values_equal
from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge
from fieldwise.model.case import Case
from fieldwise.model.comparison import Outcome
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.options import OptionProblem
from fieldwise.model.path import Path, render_path
from fieldwise.model.result import Result, Results, fault_result, unavailable_result
from fieldwise.model.rule import CompareSpec, FieldRule, Match
from fieldwise.model.values import MISSING, json_kind
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample

CallPair: TypeAlias = tuple[int, int]
ArgumentRule: TypeAlias = Literal["exact", "subset", "ignore"] | Mapping[str, Match]
_CALL_PATHS: Final = ("actual", "metadata.tool_calls", "metadata.trace", "metadata.messages")
"""Paths of calls if no `path` is configured; the first one that records a trajectory counts."""
_MAX_GRID_CELLS: Final = 4_000_000
"""Above this many pairs of calls, ties are not decided by the order of the calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTrajectory:
    """Which calls are expected, and how strictly they are compared."""

    mode: Literal["any_order", "in_order", "exact", "subset", "superset"] = "any_order"
    """any_order, superset: every expected call was made, extra calls are allowed. in_order: the same, in the expected order.
    exact: these calls and no others, in that order. subset: no other calls than the expected ones were made."""
    expected: tuple[ToolCall | str, ...] | None = None
    """Names of tools, or `{tool: search, args: {query: x}}`; default: the expected value of the case."""
    args: ArgumentRule = "exact"
    """exact: the same arguments; subset: at least the expected ones; ignore: any. Or the match of single arguments, such as
    `{query: {match: fuzzy, threshold: 0.8}}`; the others match exactly. An expected call without arguments allows any."""
    minimums: Mapping[str, Annotated[int, Ge(1)]] = field(default_factory=dict)
    """With any_order: the minimum number of calls of each tool, with any arguments."""
    path: str | None = None
    """Path of the calls in a case, such as `metadata.trace`; default: the output, else metadata.tool_calls, .trace, .messages."""
    expected_path: str = "expected"
    """Path of the expected calls in a case."""

    def problems(self) -> Iterable[OptionProblem]:
        """Paths that no case has, minimums with another mode, empty names."""
        if self.path is not None:
            yield from case_path_problems("path", self.path)
        yield from case_path_problems("expected_path", self.expected_path)
        if self.minimums and self.mode != "any_order":
            yield "minimums", f"`minimums` is for `mode: any_order`, not for `{self.mode}`", "write `mode: any_order`, or list the calls"
        if any(call == "" for call in self.expected or ()):
            yield "expected", "a tool has no name", "write the name of a tool"


def _has_calls(case: Case, config: ToolTrajectory) -> bool:
    """True if the case records calls: a system may call tools without giving an answer."""
    return any(_recorded_calls(case, config))


@evaluator(
    reads="case",
    needs_expected=False,
    has_output=_has_calls,
    counts=("matched", "expected", "actual"),
    version=3,
    vacuous={"score": ("vacuous_score",)},
    metrics=("matched", "expected", "actual", "precision", "recall", "f1", "order_correct"),
    examples=[
        EvaluatorExample(
            options={"mode": "in_order", "args": {"query": {"match": "fuzzy", "threshold": 0.8}}},
            expected=[{"tool": "search", "args": {"query": "weather in Paris"}}, {"tool": "fetch", "args": {"id": 7}}],
            actual=[
                {"tool": "search", "args": {"query": "wether in Paris"}},
                {"tool": "mail", "args": {}},
                {"tool": "fetch", "args": {"id": 8}},
            ],
            key_order_matters=True,
        ),
        EvaluatorExample(perfect=[{"tool": "a", "args": {"b": 1}}, "x"], key_order_matters=True),
        EvaluatorExample(
            options={"mode": "in_order", "expected": ["a", {"tool": "b", "args": {"c": 1}}], "args": "subset"}, key_order_matters=True
        ),
        EvaluatorExample(
            options={"mode": "exact", "args": {"a": "fuzzy", "b": "ignore"}}, perfect={"tool_calls": ["a", "a"]}, key_order_matters=True
        ),
        EvaluatorExample(options={"mode": "subset", "args": "ignore"}, perfect=["a"], key_order_matters=True),
        EvaluatorExample(options={"minimums": {"a": 1, "x": 2}}, perfect=["x", "a", "x"], key_order_matters=True),
    ],
)
def tool_trajectory(batch: Batch, config: ToolTrajectory) -> Results:
    """The share of calls that are as expected."""
    trajectories = [_read_trajectory(batch.cases.at(row), config) for row in range(len(batch))]
    compare_arguments(batch, [trajectory for trajectory in trajectories if trajectory is not None])
    return Results.from_results([_score_trajectory(trajectory, config) for trajectory in trajectories])


def _read_trajectory(case: Case, config: ToolTrajectory) -> "Trajectory | None":
    """The expected and the actual calls of a case; None if the case expects none."""
    expected = _expected_calls(case, config)
    if expected is None and not config.minimums:
        return None
    actual = next((calls for calls in _recorded_calls(case, config) if calls is not None), [])
    trajectory = Trajectory(expected or [], actual, config.args)
    if expected == [] and config.expected is None and has_unreadable_item(case_value(case, config.expected_path)):
        what = f"no expected call under `{config.expected_path}` can be read: its items have no name of a tool"
        trajectory.faults.append(Diagnostic(code="unreadable-calls", what=what))
    return trajectory


def _recorded_calls(case: Case, config: ToolTrajectory) -> Iterator[list[ToolCall] | None]:
    """The calls at each path where they may be; None where nothing is recorded."""
    paths = (config.path,) if config.path is not None else _CALL_PATHS
    return (calls_in(case_value(case, path)) for path in paths)


def _expected_calls(case: Case, config: ToolTrajectory) -> list[ToolCall] | None:
    if config.expected is not None:
        return [ToolCall(tool=call) if isinstance(call, str) else call for call in config.expected]
    value = case_value(case, config.expected_path)
    return None if value is MISSING else calls_in(value)


class _HitsAndMisses(NamedTuple):
    hits: list[str]
    misses: list[str]


class ArgumentDifference(NamedTuple):
    """An argument in which two calls of one tool differ."""

    name: str
    """The argument as messages show it: its key, or its path if matches compare arguments; empty for the arguments as a whole."""
    path: str
    """Its path within the arguments."""
    expected: Any
    actual: Any
    """`MISSING` for a side that does not have it."""

    def to_json(self, label: str, call: int) -> dict[str, Any]:
        """The entry in `details`; a side that does not have the argument is left out."""
        separator = "." if self.path and not self.path.startswith("[") else ""
        sides = {"expected": self.expected, "actual": self.actual}
        values = {side: value for side, value in sides.items() if value is not MISSING}
        return {"call": label, "argument": self.name, "path": f"[{call}].args{separator}{self.path}", **values}


class _DescribedCalls(NamedTuple):
    hits: list[str]
    misses: list[str]
    differences: list[dict[str, Any]]
    """The arguments in which calls of one tool differ, with both values."""


def _score_trajectory(trajectory: "Trajectory | None", config: ToolTrajectory) -> Result:
    if trajectory is None:
        return Result(status="skipped", reasoning=f"the case has no expected calls under `{config.expected_path}`")
    if trajectory.faults:
        first = trajectory.faults[0]
        return unavailable_result(first.what, first.fix) if first.code == "unavailable" else fault_result(first.what)
    unordered_pairs = pair_in_any_order(trajectory)
    if config.mode == "exact":
        pairs = pair_by_position(trajectory)
    elif config.mode == "in_order":
        pairs = pair_in_order(trajectory)
    else:
        pairs = unordered_pairs
    calls = _describe_calls(trajectory, pairs, unordered_pairs, config.mode)
    minimums = _check_minimums(trajectory, config.minimums)
    possible = _count_possible(trajectory, config.mode)
    nothing: list[str] = []
    if not possible and not config.minimums:
        nothing = ["no calls expected" if trajectory.actual else "no calls"]
    total = possible + len(config.minimums)
    order_correct = len(pair_in_order(trajectory)) == len(unordered_pairs)
    return Result(
        score=(len(pairs) * bool(possible) + len(minimums.hits)) / total if total else 1.0,
        hits=[*calls.hits, *minimums.hits, *nothing],
        misses=[*calls.misses, *minimums.misses],
        reasoning=f"{_summarize_matches(trajectory, len(pairs), minimums, config)}, {len(trajectory.actual)} made",
        metrics={**_measure_matches(trajectory, len(pairs), config), "order_correct": order_correct},
        details={
            "expected_calls": label_calls(trajectory.expected),
            "actual_calls": label_calls(trajectory.actual),
            "pairs": [list(pair) for pair in sorted(pairs)],
            "differences": calls.differences,
            "flags": _find_flags(trajectory, config),
        },
    )


def _find_flags(trajectory: "Trajectory", config: ToolTrajectory) -> list[str]:
    """Flags of a case that expects no call; where the mode allows further calls, its score measures nothing."""
    if trajectory.expected or config.minimums:
        return []
    return ["nothing_expected"] if config.mode in ("exact", "subset") else ["nothing_expected", "vacuous_score"]


def _count_possible(trajectory: "Trajectory", mode: str) -> int:
    """The maximum number of matched calls."""
    expected, actual = len(trajectory.expected), len(trajectory.actual)
    if mode == "exact":
        return max(expected, actual)
    return actual if mode == "subset" else expected


def _summarize_matches(trajectory: "Trajectory", matched: int, minimums: _HitsAndMisses, config: ToolTrajectory) -> str:
    calls = f"{matched} of {len(trajectory.expected)} expected calls"
    if not config.minimums:
        return calls
    tools = f"{len(minimums.hits)} of {len(config.minimums)} tools called often enough"
    return f"{calls}, {tools}" if trajectory.expected else tools


def _measure_matches(trajectory: "Trajectory", matched: int, config: ToolTrajectory) -> dict[str, float]:
    expected, actual = len(trajectory.expected), len(trajectory.actual)
    nothing = not expected and not actual
    counts: dict[str, float] = {"matched": matched, "expected": expected, "actual": actual}
    if config.minimums and not expected:  # precision and recall need a list of expected calls
        return counts
    return {
        **counts,
        "precision": matched / actual if actual else float(nothing),
        "recall": matched / expected if expected else float(nothing),
        "f1": 2 * matched / (expected + actual) if not nothing else 1.0,
    }


def _describe_calls(trajectory: "Trajectory", pairs: Sequence[CallPair], unordered_pairs: Sequence[CallPair], mode: str) -> _DescribedCalls:
    """Matched calls as hits; missing, misplaced and different calls, then unexpected ones, as misses."""
    expected_labels, actual_labels = label_calls(trajectory.expected), label_calls(trajectory.actual)
    matched = {expected for expected, _ in pairs}
    used = {actual for _, actual in pairs}
    misses: list[str] = []
    differences: list[dict[str, Any]] = []
    if mode != "subset":
        elsewhere = dict(unordered_pairs)
        positions_by_tool = trajectory.positions_by_tool()
        for expected, label in enumerate(expected_labels):
            if expected in matched:
                continue
            if expected in elsewhere:
                misses.append(f"{label} (out of order)")
                used.add(elsewhere[expected])
                continue
            same_tool = positions_by_tool.get(trajectory.expected[expected].tool, ())
            candidates = (at for at in same_tool if at not in used and trajectory.find_differing((expected, at)))
            similar = next(candidates, None)
            if similar is None:
                misses.append(f"missing: {label}")
            else:
                used.add(similar)
                differing = trajectory.find_differing((expected, similar))
                misses.append(f"{label} ({_describe_difference(differing)})")
                differences += [difference.to_json(label, expected) for difference in differing]
    if mode in ("exact", "subset"):
        misses += [f"unexpected: {label}" for actual, label in enumerate(actual_labels) if actual not in used]
    return _DescribedCalls([expected_labels[expected] for expected in sorted(matched)], misses, differences)


def _describe_difference(differences: Sequence[ArgumentDifference]) -> str:
    names = [difference.name for difference in differences if difference.name]
    return f"arguments differ: {', '.join(names)}" if names else "arguments differ"


def _check_minimums(trajectory: "Trajectory", minimums: Mapping[str, int]) -> _HitsAndMisses:
    called_tools = [call.tool for call in trajectory.actual]
    outcome = _HitsAndMisses([], [])
    for tool, minimum in minimums.items():
        count = called_tools.count(tool)
        labels = outcome.hits if count >= minimum else outcome.misses
        labels.append(f"{tool} ({count} of at least {minimum})")
    return outcome


def label_calls(calls: Sequence[ToolCall]) -> list[str]:
    """A label for each call: its tool, numbered where the tool is called more than once.

    >>> label_calls([ToolCall(tool="search"), ToolCall(tool="fetch"), ToolCall(tool="search")])
    ['search #1', 'fetch', 'search #2']
    """
    totals = Counter(call.tool for call in calls)
    counts: Counter[str] = Counter()
    labels: list[str] = []
    for call in calls:
        counts[call.tool] += 1
        labels.append(f"{call.tool} #{counts[call.tool]}" if totals[call.tool] > 1 else call.tool)
    return labels


@dataclass(slots=True)
class Trajectory:
    """The expected and the actual calls, and which of them match."""

    expected: Sequence[ToolCall]
    actual: Sequence[ToolCall]
    args: ArgumentRule = "exact"
    matching: list[frozenset[int]] = field(default_factory=list)
    """For each expected call the positions of the actual calls that match it; filled in by `compare_arguments`."""
    differing: dict[CallPair, tuple[ArgumentDifference, ...]] = field(default_factory=dict)
    """The differing arguments of pairs of calls of one tool, as far as matches compared them."""
    faults: list[Diagnostic] = field(default_factory=list)

    def positions_by_tool(self) -> dict[str, list[int]]:
        """The positions of the actual calls of each tool."""
        positions: defaultdict[str, list[int]] = defaultdict(list)
        for position, call in enumerate(self.actual):
            positions[call.tool].append(position)
        return positions

    def matches(self, pair: CallPair) -> bool:
        """True if an expected and an actual call are the same."""
        return pair[1] in self.matching[pair[0]]

    def find_differing(self, pair: CallPair) -> tuple[ArgumentDifference, ...]:
        """The arguments in which two calls of one tool differ."""
        if pair in self.differing or self.matches(pair):
            return self.differing.get(pair, ())
        expected, actual = self.expected[pair[0]].args or {}, self.actual[pair[1]].args or {}
        names = _find_differing(expected, actual, subset=self.args == "subset")
        return tuple(
            ArgumentDifference(name, render_path((name,)), expected.get(name, MISSING), actual.get(name, MISSING)) for name in names
        )


def compare_arguments(batch: Batch, trajectories: Sequence[Trajectory]) -> None:
    """Fill in `matching`: of the actual calls of the same tool, those with the expected arguments."""
    pairs_to_match: list[tuple[Trajectory, CallPair]] = []
    for trajectory in trajectories:
        positions_by_tool = {tool: frozenset(positions) for tool, positions in trajectory.positions_by_tool().items()}
        positions_by_call = _group_calls(trajectory.actual)
        for row, call in enumerate(trajectory.expected):
            same_tool = positions_by_tool.get(call.tool, frozenset())
            if call.args is None or trajectory.args == "ignore":
                matching = same_tool
            elif trajectory.args == "exact" and not _has_choice(call.args):
                matching = positions_by_call.get(_call_key(call), frozenset())
            elif trajectory.args in ("exact", "subset"):
                is_subset = trajectory.args == "subset"
                matching = frozenset(
                    at for at in same_tool if not _find_differing(call.args, trajectory.actual[at].args or {}, subset=is_subset)
                )
            else:
                matching = frozenset[int]()
                pairs_to_match += [(trajectory, (row, at)) for at in sorted(same_tool)]
            trajectory.matching.append(matching)
    if pairs_to_match:
        _compare_by_match(batch, pairs_to_match)


def _group_calls(calls: Sequence[ToolCall]) -> dict[Hashable, frozenset[int]]:
    """The positions of equal calls."""
    positions: defaultdict[Hashable, list[int]] = defaultdict(list)
    for position, call in enumerate(calls):
        positions[_call_key(call)].append(position)
    return {key: frozenset(at) for key, at in positions.items()}


def _call_key(call: ToolCall) -> Hashable:
    """Equal for calls of one tool with equal arguments; arguments with a NaN equal nothing."""
    arguments = call.args or {}
    text = canonical_json(arguments)
    return object() if text is None else (call.tool, frozenset(arguments), text)


def _has_choice(value: Any) -> bool:
    """True if several values are accepted somewhere in the arguments of a call: `{"$any": […]}`."""
    if json_kind(value) == "list":
        return any(_has_choice(item) for item in value)
    if json_kind(value) != "object":
        return False
    return accepted_values(value) is not None or any(_has_choice(inner) for inner in value.values())


def _find_differing(expected: Mapping[str, Any], actual: Mapping[str, Any], *, subset: bool) -> tuple[str, ...]:
    wrong = [key for key, value in expected.items() if not _is_accepted(value, actual.get(key, MISSING), subset=subset)]
    return tuple(wrong if subset else [*wrong, *(key for key in actual if key not in expected)])


def _is_accepted(expected: Any, actual: Any, *, subset: bool) -> bool:
    """True if a value is equal to the expected or to one of several accepted ones, of which null accepts absence.

    With `subset`, an object may be contained in the actual one at any depth.
    """
    choices = accepted_values(expected)
    if choices is not None:
        if not choices or (actual is MISSING and None in choices):
            return True
        return any(_is_accepted(choice, actual, subset=subset) for choice in choices)
    kinds = json_kind(expected), json_kind(actual)
    if kinds == ("object", "object"):
        if not subset and any(key not in expected for key in actual):
            return False
        return all(_is_accepted(value, actual.get(key, MISSING), subset=subset) for key, value in expected.items())
    if kinds == ("list", "list") and _has_choice(expected):
        return len(expected) == len(actual) and all(
            _is_accepted(value, inner, subset=False) for value, inner in zip(expected, actual, strict=True)
        )
    return actual is not MISSING and values_equal(expected, actual)


def _compare_by_match(batch: Batch, pairs_to_match: Sequence[tuple[Trajectory, CallPair]]) -> None:
    """Compare the arguments of all pairs in one batch, as the fields of records are compared."""
    matches = cast("Mapping[str, Match]", pairs_to_match[0][0].args)  # the same for all trajectories
    rules = tuple(FieldRule(path=Path((name,)), text=name, match=match) for name, match in matches.items())
    expected = [trajectory.expected[i].args for trajectory, (i, _) in pairs_to_match]
    actual = [trajectory.actual[j].args or {} for trajectory, (_, j) in pairs_to_match]
    comparisons = batch.compare_records(CompareSpec(rules=rules, open="keys"), expected, actual)
    for row, (trajectory, pair) in enumerate(pairs_to_match):
        differing: list[ArgumentDifference] = []
        for at in comparisons.rows_of(row).tolist():
            outcome = int(comparisons.outcome[at])
            if at in comparisons.faults:
                trajectory.faults.append(comparisons.faults[at])
            undeclared = outcome == Outcome.BOTH_ABSENT and comparisons.expected[at] is MISSING
            if not comparisons.passed[at] and outcome != Outcome.IGNORED and not undeclared:
                path = comparisons.paths[int(comparisons.path[at])]
                differing.append(ArgumentDifference(path, path, comparisons.expected[at], comparisons.actual[at]))
        trajectory.differing[pair] = tuple(differing)
        if not differing:
            trajectory.matching[pair[0]] |= {pair[1]}


def pair_in_any_order(trajectory: Trajectory) -> list[CallPair]:
    """The maximum number of matching pairs, in any order; of several ways the one nearest to the order of the calls."""
    by_position = pair_by_position(trajectory)
    if len(by_position) == len(trajectory.expected):  # the common case: every call is right
        return by_position
    if not any(trajectory.matching) or not trajectory.actual:
        return []
    if len(trajectory.expected) * len(trajectory.actual) > _MAX_GRID_CELLS:
        return _pair_many(trajectory.matching, len(trajectory.actual))
    grid = np.zeros((len(trajectory.expected), len(trajectory.actual)))
    for row, columns in enumerate(trajectory.matching):
        grid[row, [*columns]] = 1.0
    return [pair for pair in assign_pairs(grid) if trajectory.matches(pair)]


def _pair_many(matching: Sequence[frozenset[int]], columns: int) -> list[CallPair]:
    """The maximum number of matching pairs of many calls, whatever their order."""
    indices = np.concatenate([np.array(sorted(positions), dtype=np.int32) for positions in matching])
    starts = np.cumsum([0, *map(len, matching)])
    sparse: Any = import_module("scipy.sparse")
    graph = sparse.csr_array((np.ones(len(indices), dtype=np.int8), indices, starts), shape=(len(matching), columns))
    matched = import_module("scipy.sparse.csgraph").maximum_bipartite_matching(graph, perm_type="column")
    return [(row, column) for row, column in enumerate(matched.tolist()) if column >= 0]


def pair_in_order(trajectory: Trajectory) -> list[CallPair]:
    """The maximum number of matching pairs in order: the longest common subsequence."""
    by_position = pair_by_position(trajectory)
    if len(by_position) == len(trajectory.expected):
        return by_position
    rows, columns = len(trajectory.expected), len(trajectory.actual)
    best = np.zeros((rows + 1, columns + 1), dtype=np.int32)  # of the calls from a row and a column on
    for row in range(rows - 1, -1, -1):
        longest = best[row + 1].copy()
        matching = [*trajectory.matching[row]]
        longest[matching] = best[row + 1, [column + 1 for column in matching]] + 1
        best[row] = np.maximum.accumulate(longest[::-1])[::-1]
    pairs: list[CallPair] = []
    row = column = 0
    while row < rows and column < columns:
        if trajectory.matches((row, column)):
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row + 1, column] >= best[row, column + 1]:
            row += 1
        else:
            column += 1
    return pairs


def pair_by_position(trajectory: Trajectory) -> list[CallPair]:
    """The positions where the expected and the actual call match."""
    return [(i, i) for i in range(min(len(trajectory.expected), len(trajectory.actual))) if trajectory.matches((i, i))]
