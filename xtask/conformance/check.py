"""The scenario, played through a client of the official Python SDK: version 1 or 2, whichever is installed."""

import asyncio
import importlib.metadata
import json
import os
import pathlib
import sys
import tempfile

from mcp import StdioServerParameters


def require(holds, what):
    if not holds:
        raise SystemExit(f"not as it should be: {what}")


def field(value, *names):
    """Version 1 has the names of the protocol, version 2 those of Python."""
    for name in names:
        if hasattr(value, name):
            return getattr(value, name)
    raise SystemExit(f"{value!r} has none of {names}")


async def play(part, client, instructions):
    require(instructions.startswith("Notes that outlast this session"), instructions)
    require(len(instructions) < 512, len(instructions))
    tools = (await client.list_tools()).tools
    require([tool.name for tool in tools] == part["tools"], [tool.name for tool in tools])
    for name, arguments, is_error, has in part["calls"]:
        result = await client.call_tool(name, arguments)
        text = result.content[0].text
        require(field(result, "is_error", "isError") == is_error, f"{name} {arguments}: {text}")
        require(has in text, f"{name} {arguments}: {text!r} lacks {has!r}")
        one = len(result.content) == 1 and not field(result, "structured_content", "structuredContent")
        require(one, f"{name}: more than one text")
    listed = (await client.list_resources()).resources
    require("waynote://context" in [str(resource.uri) for resource in listed], listed)
    for resource in listed:
        contents = (await client.read_resource(resource.uri)).contents
        require(contents[0].text is not None, resource.uri)
    templates = await client.list_resource_templates()
    require(len(field(templates, "resource_templates", "resourceTemplates")) == 1, templates)
    require([prompt.name for prompt in (await client.list_prompts()).prompts] == ["context"], "prompts")
    require((await client.get_prompt("context")).messages, "the prompt is empty")


async def with_version_1(part, parameters):
    from mcp import ClientSession
    from mcp.client.stdio import stdio_client

    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        began = await session.initialize()
        await play(part, session, began.instructions)
        return began.protocolVersion


async def with_version_2(part, parameters, mode):
    from mcp import Client

    async with Client(parameters, mode=mode) as client:
        await play(part, client, client.instructions)
        return str(client.protocol_version)


async def main(program):
    scenario = json.loads(pathlib.Path(__file__).with_name("scenario.json").read_text())
    sdk = importlib.metadata.version("mcp")
    modes = ["initialize"] if sdk.startswith("1.") else ["legacy", "auto"]
    for mode in modes:
        for part in scenario:
            with tempfile.TemporaryDirectory() as home:
                project = os.path.join(home, "project")
                os.mkdir(project)
                environment = {"HOME": home, "PATH": os.environ["PATH"]}
                parameters = StdioServerParameters(
                    command=program, args=part["arguments"], env=environment, cwd=project
                )
                if mode == "initialize":
                    version = await with_version_1(part, parameters)
                else:
                    version = await with_version_2(part, parameters, mode)
        calls = sum(len(part["calls"]) for part in scenario)
        print(f"mcp {sdk} of Python, protocol {version}: {calls} calls as they should be")


asyncio.run(main(sys.argv[1]))
