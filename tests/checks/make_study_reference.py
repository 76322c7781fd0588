"""data/study_reference.md from data/study.schema.json. Arguments: the source tree; --check: only compare."""
import json
import sys

ROOT = sys.argv[1]
SCHEMA = json.load(open(ROOT + "/data/study.schema.json"))
DEFS = SCHEMA["$defs"]
HEAD = """# Study files: every key

Made from `study.schema.json` by `tests/checks/make_study_reference.py`; what a table cannot say is in
[README.md](README.md).
A *number* may be a distribution, a `$variable` or an expression `"=..."` instead; a *constant* is a number or an
expression of constants. A *vector* is a list of 3 numbers or a random vector. **Bold** keys are required.
"""
NUMBERS = {"number": "number", "positive": "number > 0", "non_negative": "number >= 0",
           "zero_to_one": "number from 0 to 1", "positive_to_one": "number > 0 and <= 1",
           "two_to_eight": "number from 2 to 8", "poisson": "number > 0 and <= 0.5", "fraction": "number > 0 and < 1",
           "reduction": "number > 0 and <= 1.1", "repetitions": "number from 1 to 1e6", "smoothing": "number >= 0",
           "constant": "constant", "constant_positive": "constant > 0", "constant_non_negative": "constant >= 0",
           "exponent": "constant > 0 and <= 10000", "seed": "whole number from 0 to 2^64 - 1",
           "scenes": "whole number from 1 to 2147483647", "event_number": "whole number but 0, or `last`",
           "varying": "number", "expression": "constant", "text": "text", "name": "name", "body_of": "body",
           "state": "state", "of_contacts": "of contacts", "of_joint": "of a joint",
           "of_net_force": "a net force"}


def link(name):
    title = DEFS[name]["title"]
    anchor = title.lower().replace(" ", "-")
    return f"[{title}](#{anchor})"


def list_value(node):
    items = node.get("items", {})
    low, high = node.get("minItems", 0), node.get("maxItems")
    if isinstance(items, list):
        return "list of " + ", ".join(map(value, items)) if "oneOf" not in node else "list of 3 or 6 numbers"
    many = (f"{low} of: " if low == high else f"{low} or more of: " if low and not high
            else f"{low} to {high} of: " if high else "")
    return f"list of {many}{value(items)}"


def value(node):
    """What may stand there, in words."""
    if "$ref" in node:
        name = node["$ref"].split("/")[-1]
        if name in NUMBERS:
            return NUMBERS[name]
        if name == "vector":
            return "vector"
        if name in DEFS:
            return link(name) if "title" in DEFS[name] else value(DEFS[name])
        return value(DEFS["body"]["properties"][name])
    if "const" in node:
        return f"`{node['const']}`"
    if "enum" in node:
        return ", ".join(f"`{word}`" for word in node["enum"])
    if "anyOf" in node:
        return " or ".join(sorted(dict.fromkeys(map(value, node["anyOf"])), key=lambda words: words != "map"))
    kind = node["type"]
    if kind == "array":
        return list_value(node)
    if kind == "object":
        more = node.get("additionalProperties")
        return ("map of names to: " + value(more) if isinstance(more, dict)
                else "map" if node.get("properties") else "`{}`")
    if kind == "boolean":
        return "`true`, `false`"
    if kind == "integer" and "minimum" in node:
        return f"whole number from {node['minimum']} to {node['maximum']}"
    if kind == "number" and "minimum" in node:
        return (f"number >= {node['minimum']}" if "maximum" not in node
                else f"number from {node['minimum']} to {node['maximum']}")
    return {"string": "text", "number": "number", "integer": "whole number"}[kind]


def default(node):
    text = json.dumps(node["default"]) if "default" in node else ""
    return f"`{text}`".replace('"', "") if text else ""


def rows(node, prefix=""):
    """Rows of a table; maps within are told below their key, with its name before theirs."""
    needed = node.get("required", [])
    for key, child in node["properties"].items():
        shown = f"`{prefix}{key}`"
        says = child.get("description") or DEFS["body"]["properties"].get(key, {}).get("description", "")
        yield (f"| {'**' + shown + '**' if key in needed else shown} | {value(child)} | {default(child)} | {says} |"
               .replace("  ", " "))
        for inner in [child] + child.get("anyOf", []):
            if isinstance(inner.get("properties"), dict):
                yield from rows(inner, f"{prefix}{key}.")


def section(title, node, level):
    lines = ["", "#" * level + " " + title]
    if node.get("description"):
        lines += ["", node["description"]]
    if isinstance(node.get("properties"), dict):
        lines += ["", "| key | value | default | |", "|---|---|---|---|", *rows(node)]
    return lines


def page():
    lines = section("Top level", SCHEMA, 2)
    for name, node in DEFS.items():
        if "title" in node and name != "alternative":
            lines += section(node["title"], node, 3 if name.startswith(("quantity_", "joint_")) else 2)
        if name == "alternative":
            lines += ["", "## " + node["title"], "", node["description"] + " Keys as of a body: "
                      + ", ".join(f"`{key}`" for key in node["properties"]) + "."]
        if name == "quantity":
            lines += ["", "A *state* is " + DEFS["state"]["description"], "",
                      "*Of contacts*: " + DEFS["of_contacts"]["description"], "",
                      "*A net force*: " + DEFS["of_net_force"]["description"], "",
                      "*Of a joint*: " + DEFS["of_joint"]["description"]]
    return HEAD + "\n".join(lines) + "\n"


path = ROOT + "/data/study_reference.md"
if "--check" in sys.argv:
    if open(path).read() != page():
        sys.exit(f"{path} is not what the schema makes: run tests/checks/make_study_reference.py {ROOT}")
else:
    open(path, "w").write(page())
