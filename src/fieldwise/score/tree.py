"""Rules as a tree of steps, so that fields with a common beginning are reached together."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from fieldwise.model.path import EACH, Path, Step
from fieldwise.model.rule import CompareSpec, ListRule


@dataclass(slots=True)
class Node:
    """A place in a record and what the spec says of it and below it."""

    rules: list[int] = field(default_factory=list[int])
    """The rules whose field stands here, as positions in the spec."""
    children: "dict[Step, Node]" = field(default_factory=dict[Step, "Node"])
    align: ListRule | None = None

    def at(self, path: Path) -> "Node":
        """The node at the end of a path, made where it is not there yet."""
        node = self
        for step in path.steps:
            node = node.children.setdefault(step, Node())
        return node

    @property
    def each(self) -> "Node | None":
        """The node of the items, if the spec says anything of them."""
        return self.children.get(EACH)

    def has_rules(self) -> bool:
        """Whether a rule's field stands here or anywhere below."""
        return bool(self.rules) or any(child.has_rules() for child in self.children.values())

    def leaves(self) -> Iterator[tuple[tuple[Step, ...], int]]:
        """Every rule at or below this node that no further list stands before, with the steps to it."""
        stack: list[tuple[tuple[Step, ...], Node]] = [((), self)]
        while stack:
            steps, node = stack.pop()
            yield from ((steps, rule) for rule in node.rules)
            stack.extend(((*steps, step), child) for step, child in reversed(node.children.items()) if step is not EACH)

    def lists(self) -> "Iterator[tuple[tuple[Step, ...], Node]]":
        """The items of every list below this node that no other list stands before, with the steps to that list."""
        stack: list[tuple[tuple[Step, ...], Node]] = [((), self)]
        while stack:
            steps, node = stack.pop()
            if node.each is not None:
                yield steps, node.each
            stack.extend(((*steps, step), child) for step, child in reversed(node.children.items()) if step is not EACH)


def tree_of(spec: CompareSpec) -> Node:
    """The tree of a spec's rules and lists."""
    root = Node()
    for position, rule in enumerate(spec.rules):
        if rule.path is not None:
            root.at(rule.path).rules.append(position)
    for rule in spec.lists:
        root.at(rule.path).align = rule
    if spec.open != "no":
        _share_items(root)
    return root


def _share_items(root: Node) -> None:
    """What is said of every item holds for the items that are named by their index, where nothing else is said of those."""
    stack = [root]
    while stack:
        node = stack.pop()
        for step, child in node.children.items():
            if isinstance(step, int) and node.each is not None:
                _overlay(child, node.each)
        stack.extend(node.children.values())


def _overlay(node: Node, other: Node) -> None:
    stack = [(node, other)]
    while stack:
        one, two = stack.pop()
        one.rules = one.rules or two.rules
        one.align = one.align or two.align
        stack.extend((one.children.setdefault(step, Node()), child) for step, child in two.children.items())
