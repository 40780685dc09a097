#!/usr/bin/env python3
"""Holds the table of layers (scripts/layers.txt) against the tree, and the house rules that go
with it: which namespace a file is in, who may use threads and clocks, who may print or exit, and
that no vendor header is included. Prints one line per violation and exits with 1 when there is any,
2 when the table itself is wrong."""

import argparse
import pathlib
import re
import sys

SOURCE_SUFFIXES = {".cpp", ".hpp", ".cc", ".h", ".c", ".cu"}
ROOTS = ("truewatt", "tests", "examples")
# Files that must not compile or are about this script: they break rules on purpose.
SKIPPED = ("tests/must_not_compile/", "tests/scripts/")

CAN_TIME = ("truewatt/capture/", "truewatt/clock/", "truewatt/nvml_sim/")
CAN_PRINT = ("truewatt/cli/",)
# What everybody speaks of is in `truewatt` itself; stand-ins are where what they stand for is.
IN_TRUEWATT = ("base", "clock", "model", "trace", "library")
IN_ANY_NAMESPACE = ("testing",)

# name, what must not stand in code, where it may, what to do instead
RULES = [
    ("threads",
     r"#\s*include\s*<(thread|mutex|shared_mutex|condition_variable|future|semaphore|barrier|latch"
     r"|pthread\.h)>",
     CAN_TIME + ("truewatt/load/cpu/", "truewatt/library/", "truewatt/simgpu/"),
     "only capture/, nvml_sim/ and load/cpu/ have threads; library/ and simgpu/ lock for their callers"),
    ("clocks",
     r"\b(steady_clock|system_clock|high_resolution_clock)::now\b|\bclock_gettime\b|\bgettimeofday\b"
     r"|\bsleep_for\b|\bthis_thread::sleep_until\b|\busleep\b|\bnanosleep\b",
     CAN_TIME, "take a truewatt::Clock as a parameter, or time stamps as values"),
    ("printing",
     r"\bstd::(cout|cerr|clog)\b|(?<![\w.>])(printf|puts|putchar|perror)\s*\("
     r"|\bf(printf|puts)\s*\([^;]*\bstd(out|err)\b|\bfmt::print\s*\(\s*(\"|stdout|stderr|fmt::)",
     CAN_PRINT, "return a Result or a string; only cli/ prints"),
    ("exiting", r"(?<![\w.>:])(std::|::)?(exit|quick_exit)\s*\(",
     CAN_PRINT, "return a Result; only cli/ ends the process"),
    ("vendor headers", r"#\s*include\s*[<\"](nvml|cuda|cuda_runtime|cuda_runtime_api|cupti)\.h[>\"]",
     (), "the minimal ABI is declared in the project, libraries are opened at run time"),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)
NAMESPACE = re.compile(r"^[ \t]*namespace[ \t]+truewatt(?:::(\w+))?[\w:]*\s*\{", re.M)
DECLARES_ALONE = re.compile(r"\s*((struct|class|enum class)\s+\w+\s*;\s*)+\}")
TOKENS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | R"(?P<delimiter>[^\s()\\]{0,16})\(.*?\)(?P=delimiter)"
      | (?P<include>\#[ \t]*include[^\n]*)
      | (?P<number>\b\d['\w.]*)
      | (?P<string>"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')""", re.S | re.X)
OUTSIDE = {"<eigen>": r"Eigen/.*", "<json>": r"nlohmann/.*", "<sqlite>": r"sqlite3\.h",
           "<toml>": r"toml\+\+/.*|toml\.hpp", "<dl>": r"dlfcn\.h"}


class TableError(Exception):
    pass


def parse_table(text):
    """{folder: [folders, headers and <outside libraries> that it may include]}"""
    table = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        name, colon, uses = line.partition(":")
        if not colon or name.strip() in table:
            raise TableError(f"line {number}: want `folder: folders`, each folder once, got `{line}`")
        table[name.strip()] = uses.split()
    for name, uses in table.items():
        for used in uses:
            folder = used.rpartition("/")[0] if used.endswith(".hpp") else used
            if used != "*" and used not in OUTSIDE and folder not in table:
                raise TableError(f"`{name}` may use `{used}`, which is not in the table")
    check_cycles(table)
    return table


def check_cycles(table):
    """Layers that use each other are one layer."""
    done, path = set(), []

    def visit(name):
        if name in path:
            raise TableError("layers use each other: " + " -> ".join(path[path.index(name):] + [name]))
        if name in done or "*" in table[name]:
            return
        path.append(name)
        for used in table[name]:
            if used in table:
                visit(used)
        done.add(path.pop())
    for name in table:
        visit(name)


def strip_code(text):
    """The code without comments and without what stands in strings; lines keep their numbers."""
    def blank(match):
        if match.group("include") or match.group("number"):
            return match.group(0)
        lines = "\n" * match.group(0).count("\n")
        return " " + lines if match.group("comment") else '""' + lines
    return TOKENS.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def entry_path(path):
    """`truewatt/sensor/nvml/api.cpp` -> `sensor/nvml/api.cpp`; tests/ and examples/ stay."""
    return path[len("truewatt/"):] if path.startswith("truewatt/") else path


def under(path, folder):
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def layer_of(table, path):
    """The folder of the table that the file is in: the innermost one."""
    keys = [key for key in table if under(entry_path(path), key)]
    return max(keys, key=len, default=None)


def is_test(path):
    return bool(re.search(r"_(test|bench|fuzz)\.cpp$", path)) or "/fuzz/" in path


def check_includes(table, path, code):
    layer = layer_of(table, path)
    if layer is None:
        yield 1, f"{path.rsplit('/', 1)[0]}/ is not in the table; add a line to scripts/layers.txt"
        return
    allowed = ["base", layer] + table[layer] + (["testing"] if is_test(path) else [])
    for match in INCLUDE.finditer(code):
        quote, header = match.groups()
        line = line_of(code, match.start())
        if not header.startswith("truewatt/"):
            if quote == '"' and path.startswith("truewatt/"):
                yield line, f'"{header}": write the path from the root, "truewatt/..."'
            outside = [name for name, pattern in OUTSIDE.items() if re.fullmatch(pattern, header)]
            if outside and "*" not in allowed and outside[0] not in allowed and not is_test(path):
                yield line, f"may not include {header}: {outside[0]} is not in {layer}'s line"
            continue
        used = layer_of(table, header)
        if "*" not in allowed and used not in allowed and header[len("truewatt/"):] not in allowed:
            yield line, (f"may not include {header} (may: {' '.join(allowed)}). If the edge is "
                         "right, change scripts/layers.txt and docs/architecture.md and say why")


def check_namespaces(table, path, code):
    """A file is in the namespace of its top folder; of others it may declare types."""
    if not path.startswith("truewatt/"):
        return
    folder = path.split("/")[1]
    others = {key.split("/")[0] for key in table} - {folder}
    if folder in IN_ANY_NAMESPACE:
        return
    for match in NAMESPACE.finditer(code):
        inner = match.group(1)
        ours = inner == folder or (folder in IN_TRUEWATT and inner not in others)
        if not ours and not DECLARES_ALONE.match(code, match.end()):
            yield (line_of(code, match.start()),
                   f"`{match.group(0).strip()}`: {folder}/ is in truewatt::{folder}")


def check_rules(path, code):
    bench = path.endswith("_bench.cpp")
    # Tests, fuzz targets and the programs of either say what went wrong.
    prints = (bench or path.endswith(("_test.cpp", "_fuzz.cpp")) or "/fuzz/" in path
              or re.search(r"\bint main\(", code))
    timed = bench or path.endswith("_realtime_test.cpp") or path.startswith("truewatt/testing/")
    excused = {"threads": timed, "clocks": timed,
               "printing": prints, "exiting": prints}
    for name, pattern, places, advice in RULES:
        outside = not path.startswith("truewatt/") and name != "vendor headers"
        if outside or excused.get(name) or path.startswith(places):
            continue
        for match in re.finditer(pattern, code):
            yield line_of(code, match.start()), f"`{match.group(0).strip()}`: {advice}"


class Tree:
    """The sources of one checkout."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.table = parse_table((self.root / "scripts/layers.txt").read_text())
        self.code = {path: strip_code(text) for path, text in self.read()}

    def read(self):
        for top in ROOTS:
            for path in sorted((self.root / top).rglob("*")):
                relative = path.relative_to(self.root).as_posix()
                if (path.is_file() and path.suffix in SOURCE_SUFFIXES
                        and not relative.startswith(SKIPPED)):
                    yield relative, path.read_text(errors="replace")

    def violations(self):
        for path, code in self.code.items():
            for line, message in check_includes(self.table, path, code):
                yield path, line, message
            for line, message in check_namespaces(self.table, path, code):
                yield path, line, message
            for line, message in check_rules(path, code):
                yield path, line, message


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent,
                        help="the checkout (default: the one this script is in)")
    arguments = parser.parse_args()
    try:
        tree = Tree(arguments.root)
    except (TableError, OSError) as error:
        print(f"scripts/layers.txt: {error}", file=sys.stderr)
        return 2
    found = sorted(set(tree.violations()))
    for path, line, message in found:
        print(f"{path}:{line}: {message}")
    if not found:
        print(f"layers: {len(tree.code)} files obey the table")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
