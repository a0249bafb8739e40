"""Anthropic's memory tool over a waynote server. Needs `anthropic`.

    from anthropic import Anthropic
    from waynote import Client
    from waynote.memory_tool import WaynoteMemoryTool

    runner = Anthropic().beta.messages.tool_runner(..., tools=[WaynoteMemoryTool(Client(), agent="builder")])

The server carries out each command, as for every other client of its tool set `memory`: the file
`/memories/plan.md` is the note `place:/memories/builder/plan.md`, with history, undo and search.
"""

from __future__ import annotations

import asyncio
from typing import Any, Optional

from anthropic.lib.tools import (
    BetaAbstractMemoryTool,
    BetaAsyncAbstractMemoryTool,
    ToolError,
)
from anthropic.types.beta import BetaCacheControlEphemeralParam

from ._http import WaynoteError
from .api import Client


class _Files:
    def __init__(self, client: Client, agent: str) -> None:
        self.client = client
        self.agent = agent

    def run(self, command: Any) -> str:
        """Carries out a command of the model."""
        arguments = command.model_dump(exclude_none=True)
        try:
            text, is_error = self.client.call_tool("memory", arguments, agent=self.agent, tools="memory")
        except WaynoteError as error:
            # The model reads it, and can go on without its files.
            raise ToolError(str(error)) from error
        if is_error:
            raise ToolError(text)
        return text

    def clear(self) -> str:
        """Deletes every file; `waynote undo` brings each back."""
        below = f"/memories/{self.agent}"
        while notes := self.client.list_notes(below=below, limit=500)["notes"]:
            for note in notes:
                self.client.delete_note(note["address"], author=f"agent:{self.agent}")
        return "All memory cleared"


class WaynoteMemoryTool(BetaAbstractMemoryTool):
    """The memory tool for `client.beta.messages.tool_runner`.

    :param client: The waynote store.
    :param agent: The agent whose files they are. Two agents can have files of one name.
    """

    def __init__(
        self, client: Client, *, agent: str = "default", cache_control: Optional[BetaCacheControlEphemeralParam] = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = _Files(client, agent)

    def view(self, command: Any) -> str:
        return self._files.run(command)

    create = str_replace = insert = delete = rename = view

    def clear_all_memory(self) -> str:
        return self._files.clear()


class WaynoteAsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for an asynchronous client. Each command runs in a thread."""

    def __init__(
        self, client: Client, *, agent: str = "default", cache_control: Optional[BetaCacheControlEphemeralParam] = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = _Files(client, agent)

    async def view(self, command: Any) -> str:
        return await asyncio.to_thread(self._files.run, command)

    create = str_replace = insert = delete = rename = view

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self._files.clear)
