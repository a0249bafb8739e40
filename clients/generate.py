"""Writes the clients' generated files from docs/openapi.json: the types of the API, and a method for each operation.

    python3 clients/generate.py

The tests fail if a file is not as it would be written. Only Python's standard library is needed, here and by the client
for Python: the clients that other generators make need a library for HTTP or for models at run time.
"""

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
DOCUMENT = HERE.parent / "docs/openapi.json"
WIDTH = 100

# The method of each operation. An operation that is missing here is an error.
METHODS = {
    "get_context": "context",
    "get_notes": "list_notes",
    "get_notes_address": "read_note",
    "put_notes_address": "save_note",
    "delete_notes_address": "delete_note",
    "get_notes_address_history": "history",
    "post_notes_address_undo": "undo_note",
    "get_search": "search",
    "get_sessions": "list_sessions",
    "post_sessions_session_entries": "add_entry",
    "get_changes": "changes",
    "post_forget": "forget",
    "get_verify": "verify",
    "get_openapi_json": "openapi",
    "post_read": "read",
    "post_apply": "apply",
    "post_record": "record",
    "post_as_of": "as_of",
    "post_search": "find",
    "post_context": "render",
    "post_beat": "beat",
    "post_silence": "silence",
}

# Headers are options with names of their own; those that are left out are the transport's.
HEADERS = {"If-Match": "if_revision", "Idempotency-Key": "idempotency_key"}
# Clients encode paths and make headers, so what the document says of these is not for their users.
ABOUT = {
    "if_revision": "The revision that must be current; 0: only if there is no such note.",
    "address": "The note: `agent:NAME#key`, `place:~/p`, `place:~/p#key`, `session:NAME#id`.",
}

# The fields of errors are for the client in Rust, which makes its own errors of them.
OPEN = {"Fields"}


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in re.split("[_-]", name))


def plain(text):
    """A description without the links of Rust's documentation, in one paragraph."""
    text = re.sub(r"\[`([^`\]]+)`\](\([^)]*\))?", r"`\1`", text or "")
    text = re.sub(r"\s*\(see \[[^)]*\)\)|\s*\(see `crate::[^)]*\)", "", text)
    return re.sub(r"\s+", " ", text).replace("crate::", "").strip()


def about(schema):
    """The description of a field; of one that may be null, that of its value."""
    return plain(
        schema.get("description")
        or next((of["description"] for of in schema.get("oneOf", []) if "description" in of), "")
    )


class Operation:
    """An operation of the document, as both languages need it."""

    def __init__(self, method, path, source, schemas):
        if source["operationId"] not in METHODS:
            sys.exit(f"{source['operationId']} has no name: add it to METHODS in clients/generate.py")
        self.method, self.path = method.upper(), path
        self.name = METHODS[source["operationId"]]
        self.about = plain(source.get("summary")).replace("; with `Accept: text/plain` its text alone", "")
        self.parts, self.required, self.query, self.headers = [], [], [], []
        for each in source.get("parameters", []):
            kept = (each["name"], each["schema"], ABOUT.get(each["name"]) or plain(each.get("description")))
            if each["in"] == "path":
                self.parts.append(kept)
            elif each["in"] == "header" and each["name"] in HEADERS:
                name = HEADERS[each["name"]]
                schema = {"type": "integer" if name == "if_revision" else "string"}
                self.headers.append((name, schema, ABOUT.get(name, kept[2])))
            elif each["in"] == "query":
                (self.required if each.get("required") else self.query).append(kept)
        body = source.get("requestBody", {}).get("content", {}).get("application/json")
        self.body = body and body["schema"]["$ref"].rsplit("/", 1)[1]
        fields = schemas[self.body] if body else {}
        needed = fields.get("required", [])
        known = {name: (name, schema, about(schema)) for name, schema in fields.get("properties", {}).items()}
        # A field of the body says more than a parameter of its name.
        self.query = [each for each in self.query if each[0] not in known]
        self.body_required = [known[name] for name in needed]
        self.body_optional = [each for name, each in known.items() if name not in needed]
        answers = [of.get("content", {}) for status, of in source["responses"].items() if status[0] == "2"]
        self.is_feed = any("text/event-stream" in answer for answer in answers)
        # A document without a schema is any value.
        self.answer = next((of["application/json"]["schema"] for of in answers if "application/json" in of), None)


def operations(document):
    schemas = document["components"]["schemas"]
    found = [
        Operation(method, path, source, schemas)
        for path, item in document["paths"].items()
        for method, source in item.items()
    ]
    order = list(METHODS.values())
    return sorted(found, key=lambda each: order.index(each.name))


def reachable(document, found):
    """The schemas that the operations need, by name."""
    schemas, names = document["components"]["schemas"], {"Problem"}

    def visit(value):
        if isinstance(value, dict):
            name = value.get("$ref", "").rsplit("/", 1)[-1]
            if name and name not in names and name not in OPEN:
                names.add(name)
                visit(schemas[name])
            for each in value.values():
                visit(each)
        elif isinstance(value, list):
            for each in value:
                visit(each)

    visit(schemas["Problem"])
    for each in found:
        visit([each.answer, {"$ref": each.body or ""}, [of[1] for of in each.required + each.query]])
    # A class comes after the one that it extends.
    return {name: schemas[name] for name in sorted(names, key=lambda name: ("allOf" in schemas[name], name))}


class Python:
    FILE = HERE / "python/waynote/api.py"
    HEAD = '''"""The types of waynote's API, and a client with a method for each operation.

Made by clients/generate.py from docs/openapi.json. Do not edit.
"""

from __future__ import annotations

from typing import Any, Iterator, Literal, Optional, TypedDict, Union

from ._http import FeedMessage, Transport, part
'''

    def type(self, schema, inner=""):
        """A type; `inner` names an object that has no name of its own."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return "dict[str, Any]" if name in OPEN else name
        if "oneOf" in schema:
            kinds = [self.type(each, inner) for each in schema["oneOf"]]
            some = [kind for kind in kinds if kind != "None"]
            union = some[0] if len(some) == 1 else f"Union[{', '.join(some)}]"
            return f"Optional[{union}]" if len(some) < len(kinds) else union
        if "enum" in schema:
            return f"Literal[{', '.join(json.dumps(each) for each in schema['enum'])}]"
        kind = schema.get("type")
        if isinstance(kind, list):
            return f"Optional[{self.type({**schema, 'type': kind[0]}, inner)}]"
        if kind == "array":
            return f"list[{self.type(schema['items'], inner)}]"
        if kind == "object":
            return inner if inner and "properties" in schema else "dict[str, Any]"
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}.get(
            kind, "Any"
        )

    def doc(self, text, indent):
        text = text.replace("\\", "\\\\").replace('"""', "'''")
        if len(text) + len(indent) + 6 <= WIDTH:
            return f'{indent}"""{text}"""\n'
        lines = textwrap.fill(text, WIDTH, initial_indent=indent + '"""', subsequent_indent=indent)
        return f'{lines}\n{indent}"""\n'

    def schema(self, name, schema):
        text = ""
        if "allOf" in schema:
            bases = [each["$ref"].rsplit("/", 1)[1] for each in schema["allOf"] if "$ref" in each]
            [own] = [each for each in schema["allOf"] if "$ref" not in each]
            return self.classes(name, {**own, "description": schema.get("description")}, bases)
        if schema.get("type") != "object":
            quoted = re.sub(r'(?<![\w"\'])([A-Z]\w+)(?![\w"\[])', r'"\1"', self.type(schema))
            alias = quoted.replace('"Any"', "Any").replace('"None"', "None")
            text = f"\n{name} = {alias}\n"
            if len(alias) > WIDTH - len(name) and "Union[" in alias:
                text = (
                    f"\n{name} = "
                    + alias.replace("Union[", "Union[\n    ").replace('", "', '",\n    "').replace("]", ",\n]")
                    + "\n"
                )
            return text + (self.doc(plain(schema["description"]), "") if schema.get("description") else "")
        return self.classes(name, schema, [])

    def classes(self, name, schema, bases):
        """A class of the required fields, and one of all of them: Python 3.9 has no other way."""
        before, fields, words = "", {True: "", False: ""}, []
        needed = schema.get("required", [])
        for field, each in schema.get("properties", {}).items():
            if each.get("type") == "object" and "properties" in each:
                before += self.classes(name + camel(field), each, [])
            kind = self.type(each, name + camel(field))
            if keyword.iskeyword(field):
                words.append(f'"{field}": "{kind}"')
                continue
            fields[field in needed] += f"    {field}: {kind}\n"
            fields[field in needed] += self.doc(about(each), "    ") if about(each) else ""
        if words:
            before += f'\n_{name}Words = TypedDict("_{name}Words", {{{", ".join(words)}}}, total=False)\n'
            bases = bases + [f"_{name}Words"]
        if fields[True] and fields[False]:
            before += f"\n\nclass _{name}({', '.join(bases or ['TypedDict'])}):\n{fields[True]}"
            bases, fields[True] = [f"_{name}"], ""
        total = "" if fields[True] or not fields[False] else ", total=False"
        doc = self.doc(plain(schema.get("description")), "    ") if schema.get("description") else ""
        own = fields[True] + fields[False]
        text = f"\n\nclass {name}({', '.join(bases or ['TypedDict'])}{total}):\n{doc}"
        text += "\n" * bool(doc and own) + own
        return before + (text if doc or own else text + "    pass\n")

    def method(self, of):
        def named(name):
            return name + "_" * keyword.iskeyword(name)

        first = of.parts + of.required + of.body_required
        options = of.body_optional + of.query + of.headers
        words = ["self"] + [f"{named(name)}: {self.type(schema)}" for name, schema, _ in first]
        words += ["*"] * bool(options)
        for name, schema, _ in options:
            kind = self.type(schema)
            words.append(f"{named(name)}: {kind if kind.startswith('Optional') else f'Optional[{kind}]'} = None")
        answer = self.type(of.answer) if of.answer is not None else "Iterator[FeedMessage]" if of.is_feed else "None"
        text = f"    def {of.name}({', '.join(words)}) -> {answer}:\n"
        if len(text) > WIDTH:
            text = f"    def {of.name}(\n        " + ",\n        ".join(words) + f",\n    ) -> {answer}:\n"
        explained = [f":param {named(name)}: {words}" for name, _, words in first + options if words]
        if explained:
            text += '        """' + textwrap.fill(of.about, WIDTH - 8, subsequent_indent="        ") + "\n\n"
            for line in explained:
                text += textwrap.fill(line, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 12) + "\n"
            text += '        """\n'
        else:
            text += self.doc(of.about, " " * 8)
        path = re.sub(r"\{(\w+)\}", r"{part(\1)}", of.path)

        def pairs(of):
            return "{" + ", ".join(f'"{name}": {named(name)}' for name, _, _ in of) + "}"

        call = [f'"{of.method}"', f'f"{path}"' if "{" in path else f'"{path}"']
        if of.required or of.query:
            call.append(f"query={pairs(of.required + of.query)}")
        if of.body:
            call.append(f"body={pairs(of.body_required + of.body_optional)}")
        call += [f"{name}={name}" for name, _, _ in of.headers]
        if any(name == "idempotency_key" for name, _, _ in of.headers):
            call.append("may_repeat=True")
        way = "_feed" if of.is_feed else "_call"
        line = f"self.{way}({', '.join(call)})"
        line = line if answer in ("None", "Any") or of.is_feed else f"answer: {answer} = {line}"
        shown = f"        {line if line.startswith('answer') or answer == 'None' else 'return ' + line}\n"
        if len(shown) > WIDTH:
            shown = "        " + shown.strip()[: -len(", ".join(call)) - 1]
            lines = [textwrap.fill(each, WIDTH, initial_indent=" " * 12, subsequent_indent=" " * 16) for each in call]
            shown += "\n" + ",\n".join(lines) + ",\n        )\n"
        return text + shown + "        return answer\n" * line.startswith("answer")

    def text(self, found, schemas):
        text = self.HEAD + "".join(self.schema(name, schema) for name, schema in schemas.items())
        text += (
            '\n\nclass Client(Transport):\n    """A store on a server: a method for each operation of its API."""\n\n'
        )
        return text + "\n".join(self.method(each) for each in found)


class TypeScript:
    """The methods, and their types beside them."""

    def type(self, schema):
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return "Record<string, unknown>" if name in OPEN else name
        if "oneOf" in schema:
            return " | ".join(self.type(each) for each in schema["oneOf"])
        if "allOf" in schema:
            return " & ".join(self.type(each) for each in schema["allOf"])
        if "enum" in schema:
            return " | ".join(json.dumps(each) for each in schema["enum"])
        kind = schema.get("type")
        if isinstance(kind, list):
            return f"{self.type({**schema, 'type': kind[0]})} | null"
        if kind == "array":
            inner = self.type(schema["items"])
            return f"({inner})[]" if " " in inner and not inner.startswith("{") else f"{inner}[]"
        if kind == "object":
            return self.object(schema) if "properties" in schema else "Record<string, unknown>"
        known = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
        return known.get(kind, "unknown")

    def object(self, schema, indent="  "):
        needed, text = schema.get("required", []), "{\n"
        for field, each in schema["properties"].items():
            kind = self.object(each, indent + "  ") if "properties" in each else self.type(each)
            text += f"{indent}/** {about(each)} */\n" if about(each) else ""
            text += f"{indent}{field}{'' if field in needed else '?'}: {kind};\n"
        return text + indent[2:] + "}"

    def schema(self, name, schema):
        text = f"\n/** {about(schema)} */\n" if schema.get("description") else "\n"
        if "properties" in schema:
            return f"{text}export interface {name} {self.object(schema)}\n"
        return f"{text}export type {name} = {self.type(schema)};\n"

    def parameters(self, of):
        first = [(name, self.type(schema)) for name, schema, _ in of.parts + of.required]
        if of.body:
            first.append(("body", of.body))
        return first

    def declared(self, of):
        words = [f"{name}: {kind}" for name, kind in self.parameters(of)]
        if of.body and not of.body_required:
            words[-1] = words[-1].replace("body:", "body?:")
        options = "".join(
            f"      /** {words} */\n      {name}?: {self.type(schema)};\n"
            for name, schema, words in of.query + of.headers
        )
        words.append("options?: CallOptions" + (f" & {{\n{options}    }}" if options else ""))
        answer = self.type(of.answer) if of.answer is not None else "void"
        answer = "Promise<AsyncGenerator<FeedMessage>>" if of.is_feed else f"Promise<{answer}>"
        return f"  /** {of.about} */\n  {self.name(of)}({', '.join(words)}): {answer};\n"

    def name(self, of):
        return of.name[0] + camel(of.name)[1:]

    def method(self, of):
        path = re.sub(r"\{(\w+)\}", r"${part(\1)}", of.path)
        words = [name for name, _ in self.parameters(of)]
        if of.body and not of.body_required:
            words[-1] += " = {}"
        more = [f"query: {{ {', '.join(name for name, *_ in of.required)} }}"] if of.required else []
        more += [f"names: {json.dumps([name for name, *_ in of.query])}"] if of.query else []
        more += ["body"] * bool(of.body)
        more += ["mayRepeat: true"] * any(name == "idempotency_key" for name, *_ in of.headers)
        quote = "`" if "$" in path else '"'
        call = f'"{of.method}", {quote}{path}{quote}, {{ {", ".join(["options"] + more)} }}'
        way = "feed" if of.is_feed else "call"
        return f"  {self.name(of)}({', '.join(words + ['options'])}) {{\n    return this.{way}({call});\n  }}\n"

    MADE = "// Made by clients/generate.py from docs/openapi.json. Do not edit.\n"

    def types(self, found, schemas):
        text = self.MADE + '\nimport { Transport, type CallOptions, type FeedMessage } from "./http.mjs";\n'
        text += "".join(self.schema(name, schema) for name, schema in schemas.items())
        text += "\n/** A store on a server: a method for each operation of its API. */\n"
        text += "export class Client extends Transport {\n"
        return text + "\n".join(self.declared(each) for each in found) + "}\n"

    def code(self, found):
        text = (
            self.MADE + '\nimport { Transport, part } from "./http.mjs";\n\nexport class Client extends Transport {\n'
        )
        return text + "\n".join(self.method(each) for each in found) + "}\n"


def files():
    """The texts of the files."""
    document = json.loads(DOCUMENT.read_text())
    found = operations(document)
    schemas = reachable(document, found)
    typescript = TypeScript()
    return {
        Python.FILE: Python().text(found, schemas),
        HERE / "typescript/api.d.mts": typescript.types(found, schemas),
        HERE / "typescript/api.mjs": typescript.code(found),
    }


if __name__ == "__main__":
    for file, text in files().items():
        file.write_text(text)
