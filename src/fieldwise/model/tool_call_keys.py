"""Keys under which agents and model APIs record tool calls, for the evaluator that reads them and for what recognizes them in data."""

from typing import Final

CALL_LIST_KEYS: Final = ("tool_calls", "toolCalls", "tools_called", "expected_tools", "messages", "calls", "trace", "steps")
"""Keys of an object whose value is a list of calls, or of messages that hold calls."""
NAME_KEYS: Final = ("tool", "name", "tool_name", "toolName", "function_name", "action")
"""Keys of the name of a tool; the first one that a call has counts."""
ARGUMENT_KEYS: Final = (
    *("args", "arguments", "input", "parameters", "input_parameters", "tool_input", "tool_args", "params", "kwargs", "action_input"),
)
"""Keys of the arguments; the first one that a call has counts."""
FUNCTION_KEY: Final = "function"
"""Key of the name of a tool, or of an object with the name and the arguments."""
VAGUE_KEYS: Final = frozenset(("name", "action", "input", "parameters", "params", "action_input"))
"""Keys of names and arguments that other objects have too."""
CERTAIN_NAME_KEYS: Final = (*(key for key in NAME_KEYS if key not in VAGUE_KEYS), FUNCTION_KEY)
