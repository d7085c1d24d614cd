"""The lists that nodes of a game return: changing one changes the game."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from chessdb import Node

_T = TypeVar("_T")


class LiveList(list[_T]):
    """The value of an attribute of a node. Every change sets the attribute."""

    __slots__ = ("_name", "_node")

    def __init__(self, node: Node, name: str, items: list[_T] | None = None) -> None:
        if items:
            list.__init__(self, items)
        self._node = node
        self._name = name

    def add(self, item: _T) -> None:
        """Appends an item unless it is there, like a set."""
        if item not in self:
            self.append(item)

    def discard(self, item: _T) -> None:
        """Removes an item if it is there, like a set."""
        if item in self:
            self.remove(item)

    def __reduce__(self) -> tuple[type[list[_T]], tuple[list[_T]]]:
        return list, (list(self),)


def _changing(name: str) -> Any:
    method = getattr(list, name)

    @functools.wraps(method)
    def change(self: LiveList[Any], *args: Any, **named: Any) -> Any:
        items = list(self)
        result = method(items, *args, **named)
        # If the node refuses the change, the list stays as it was.
        setattr(self._node, self._name, items)
        list.__setitem__(self, slice(None), getattr(self._node, self._name))
        return self if result is items else result

    return change


for _name in (
    "__delitem__",
    "__iadd__",
    "__imul__",
    "__setitem__",
    "append",
    "clear",
    "extend",
    "insert",
    "pop",
    "remove",
    "reverse",
    "sort",
):
    setattr(LiveList, _name, _changing(_name))
