"""Calls every route of a server with the client that openapi-python-client generated.

Arguments: the address of the API, a token, the OpenAPI document. The client is the package `generated` beside it.
The examples of the document are the bodies. An answer has to be read as the type that the document names.
"""

import importlib
import inspect
import json
import sys

from generated import AuthenticatedClient
from generated.models.problem import Problem

# The values of parameters, by name; later routes meet what earlier ones wrote.
VALUES = {
    "address": "agent:builder#deploy",
    "session": "nightly",
    "q": "ship",
    "agent": "builder",
}
# A note comes before its changes.
METHODS = ["put", "post", "get", "delete"]
# What was undone is written again before it is read.
FIRST = ["undo", "apply"]
# The session has no loop.
PROBLEMS = {"post_beat": 409, "post_silence": 409}


def operations(document):
    for path, item in document["paths"].items():
        last = path.split("/")[-1]
        turn = FIRST.index(last) if last in FIRST else len(FIRST)
        for method, operation in item.items():
            yield METHODS.index(method), turn, path, operation


def main(api, token, document):
    document = json.load(open(document))
    client = AuthenticatedClient(base_url=api, token=token)
    called = 0
    for *_, operation in sorted(operations(document), key=lambda each: each[:3]):
        name = operation["operationId"]
        # A feed has no end.
        if name == "get_changes":
            continue
        module = importlib.import_module(f"generated.api.{operation['tags'][0]}.{name}")
        parameters = inspect.signature(module.sync_detailed).parameters
        words = {of: value for of, value in VALUES.items() if of in parameters}
        if "body" in parameters:
            content = operation["requestBody"]["content"]["application/json"]
            words["body"] = parameters["body"].annotation.from_dict(content["example"])
        answer = module.sync_detailed(client=client, **words)
        expected = PROBLEMS.get(name)
        if isinstance(answer.parsed, Problem) and int(answer.status_code) != expected:
            sys.exit(f"{name}: {answer.status_code} {answer.content.decode()}")
        if answer.parsed is None and int(answer.status_code) != 204 and name != "get_openapi_json":
            sys.exit(f"{name}: {answer.status_code} was not read: {answer.content.decode()[:500]}")
        called += 1
    print(f"{called} routes")


main(*sys.argv[1:])
