"""Rules as a tree of path steps, so that fields with a common beginning are reached together."""

from collections.abc import Iterator
from dataclasses import field

from fieldwise.dataclass import dataclass
from fieldwise.model.path import EACH, Path, Step
from fieldwise.model.rule import CompareSpec, ListRule


@dataclass(slots=True)
class RuleNode:
    """One position in a record: the rules for it and for everything below."""

    rules: list[int] = field(default_factory=list)
    """Rules for this very path, as positions in the spec."""
    children: "dict[Step, RuleNode]" = field(default_factory=dict)
    align: ListRule | None = None

    def get_or_create(self, path: Path) -> "RuleNode":
        """The node at the end of a path; missing nodes are created."""
        node = self
        for step in path.steps:
            child = node.children.get(step)
            if child is None:
                child = node.children[step] = RuleNode()
            node = child
        return node

    @property
    def each(self) -> "RuleNode | None":
        """The node of the list items, if there is a rule for them."""
        return self.children.get(EACH)

    def has_rules(self) -> bool:
        """True if there is a rule for this node or anything below it."""
        return bool(self.rules) or any(child.has_rules() for child in self.children.values())

    def rules_outside_lists(self) -> Iterator[tuple[tuple[Step, ...], int]]:
        """Every rule at or below this node that is not inside a further list, with the steps to it."""
        for steps, node in self._nodes_outside_lists():
            for rule in node.rules:
                yield steps, rule

    def nearest_lists(self) -> "Iterator[tuple[tuple[Step, ...], RuleNode]]":
        """The item node of every list below this node that is not inside a further list, with the steps to that list."""
        for steps, node in self._nodes_outside_lists():
            if node.each is not None:
                yield steps, node.each

    def _nodes_outside_lists(self) -> "Iterator[tuple[tuple[Step, ...], RuleNode]]":
        stack: list[tuple[tuple[Step, ...], RuleNode]] = [((), self)]
        while stack:
            steps, node = stack.pop()
            yield steps, node
            stack.extend(((*steps, step), child) for step, child in reversed(node.children.items()) if step is not EACH)


def build_rule_tree(spec: CompareSpec) -> RuleNode:
    """The tree of a spec's field rules and list rules."""
    root = RuleNode()
    for position, rule in enumerate(spec.rules):
        if rule.path is not None:
            root.get_or_create(rule.path).rules.append(position)
    for rule in spec.lists:
        root.get_or_create(rule.path).align = rule
    if spec.open != "no":
        _apply_item_rules_to_indexes(root)
    return root


def _apply_item_rules_to_indexes(root: RuleNode) -> None:
    """Apply the rules of `[*]` to items that have rules by index, such as `[0]`, where those have none of their own."""
    stack = [root]
    while stack:
        node = stack.pop()
        for step, child in node.children.items():
            if isinstance(step, int) and node.each is not None:
                _fill_missing_rules(child, node.each)
        stack.extend(node.children.values())


def _fill_missing_rules(target: RuleNode, source: RuleNode) -> None:
    stack = [(target, source)]
    while stack:
        node, default = stack.pop()
        node.rules = node.rules or default.rules
        node.align = node.align or default.align
        stack.extend((node.children.setdefault(step, RuleNode()), child) for step, child in default.children.items())
