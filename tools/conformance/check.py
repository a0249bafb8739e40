"""The scenario, played through a client of the official Python SDK, version 1 or 2, whichever is installed: over standard
input and output, and over HTTP."""

import asyncio
import contextlib
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

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


async def play(part, client, instructions, is_remote):
    require(instructions.startswith("Notes that outlast this session"), instructions)
    # Over HTTP the model asks for the notes itself, and is told so where the set of tools is waynote's own.
    asks = is_remote and "--tools" not in part["arguments"]
    require(("call note_context before you start" in instructions) == asks, instructions)
    require(len(instructions) < 512, len(instructions))
    tools = (await client.list_tools()).tools
    wanted = ["note_context"] * asks + part["tools"]
    require([tool.name for tool in tools] == wanted, [tool.name for tool in tools])
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


async def with_version_1(part, parameters, remote):
    from mcp import ClientSession
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    if remote:
        url, headers = remote
        streams = streamablehttp_client(url, headers=headers)
    else:
        streams = stdio_client(parameters)
    async with streams as (read, write, *_), ClientSession(read, write) as session:
        began = await session.initialize()
        await play(part, session, began.instructions, bool(remote))
        return began.protocolVersion


async def with_version_2(part, parameters, remote, mode):
    from mcp import Client

    async with contextlib.AsyncExitStack() as stack:
        server = parameters
        if remote:
            import httpx2
            from mcp.client.streamable_http import streamable_http_client

            url, headers = remote
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers))
            server = streamable_http_client(url, http_client=http)
        client = await stack.enter_async_context(Client(server, mode=mode))
        await play(part, client, client.instructions, bool(remote))
        return str(client.protocol_version)


@contextlib.contextmanager
def serving(program, part, home, project, environment):
    """A server of an empty store with one token; who calls is in the address, as the arguments say it."""
    made = [program, "token", "create", "sdk", "--write", "--json"]
    made = subprocess.run(made, env=environment, cwd=project, check=True, capture_output=True)
    token = json.loads(made.stdout)["token"]
    serve = [program, "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(
        serve, env=environment, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            server.stdout.readline()
            store = server.stdout.readline().strip()
            words = [word for word in part["arguments"] if word != "mcp"]
            who = {name[2:]: value for name, value in zip(words[::2], words[1::2])}
            query = urllib.parse.urlencode({"home": home, "place": project, **who})
            yield f"{store}/mcp?{query}", {"Authorization": f"Bearer {token}"}
        finally:
            server.terminate()


async def main(program):
    scenario = json.loads(pathlib.Path(__file__).with_name("scenario.json").read_text())
    sdk = importlib.metadata.version("mcp")
    modes = ["initialize"] if sdk.startswith("1.") else ["legacy", "auto"]
    for mode, is_remote in [(mode, is_remote) for is_remote in (False, True) for mode in modes]:
        for part in scenario:
            with tempfile.TemporaryDirectory() as home:
                project = os.path.join(home, "project")
                os.mkdir(project)
                environment = {"HOME": home, "PATH": os.environ["PATH"]}
                parameters = StdioServerParameters(
                    command=program, args=part["arguments"], env=environment, cwd=project
                )
                with contextlib.ExitStack() as stack:
                    remote = is_remote and stack.enter_context(
                        serving(program, part, home, project, environment)
                    )
                    if mode == "initialize":
                        version = await with_version_1(part, parameters, remote)
                    else:
                        version = await with_version_2(part, parameters, remote, mode)
        calls = sum(len(part["calls"]) for part in scenario)
        way = "HTTP" if is_remote else "stdio"
        print(f"mcp {sdk} of Python, {way}, protocol {version}: {calls} calls as they should be")


asyncio.run(main(sys.argv[1]))
