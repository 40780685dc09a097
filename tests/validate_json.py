#!/usr/bin/env python3
"""validate_json.py SCHEMA FILE...: holds JSON documents against a JSON Schema.

Prints every violation with its place in the document. A key that the schema does not describe is one
here: readers must allow it, but ours are all described. Exit code 0: all valid; 1: one is not;
77: the package python3-jsonschema is missing (CTest: skipped).
"""
import json
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: no python3-jsonschema here (apt-get install python3-jsonschema)")
    sys.exit(77)


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON number")


def closed(schema):
    """The schema without room for keys that it does not describe."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    types = schema.get("type", [])
    described = "properties" in schema and ("object" in types)
    return ({"additionalProperties": False} if described else {}) | {key: closed(part) for key, part in schema.items()}


def violations(schema, path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_constant=refuse_constant)
    validator = jsonschema.Draft202012Validator(closed(schema))
    for error in sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path))):
        place = "/".join(str(part) for part in error.absolute_path)
        yield f"{path}: /{place}: {error.message}"


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 2
    with open(arguments[0], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    found = [line for path in arguments[1:] for line in violations(schema, path)]
    print("\n".join(found) if found else f"valid: {', '.join(arguments[1:])}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
