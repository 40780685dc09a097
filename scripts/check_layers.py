#!/usr/bin/env python3
"""Holds the table of layers (scripts/layers.txt) against the tree, and the house rules that go
with it: who may use threads and clocks, who may print or exit, and that no vendor header is
included. Prints one line per violation and exits with 1 when there is any, 2 when the table itself
is wrong."""

import argparse
import pathlib
import re
import sys

SOURCE_SUFFIXES = {".cpp", ".hpp", ".cc", ".h", ".c", ".cu"}
ROOTS = ("truewatt", "tests", "examples")
# Files that must not compile or are about this script: they break rules on purpose.
SKIPPED = ("tests/must_not_compile/", "tests/scripts/")

CAN_TIME = ("truewatt/capture/", "truewatt/nvml_sim/", "truewatt/load/cuda/fake_cuda.cpp")
CAN_PRINT = ("truewatt/cli/",)

# name, what must not stand in code, where it may, what to do instead
RULES = [
    ("threads",
     r"#\s*include\s*<(thread|mutex|shared_mutex|condition_variable|future|semaphore|barrier|latch"
     r"|pthread\.h)>",
     CAN_TIME + ("truewatt/load/cpu/", "truewatt/library/"),
     "only capture/, nvml_sim/ and load/cpu/ have threads, and library/ locks for its callers'"),
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
TOKENS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | R"(?P<delimiter>[^\s()\\]{0,16})\(.*?\)(?P=delimiter)"
      | (?P<include>\#[ \t]*include[^\n]*)
      | (?P<number>\b\d['\w.]*)
      | (?P<string>"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')""", re.S | re.X)
KEYWORDS = {"USES", "EXTERNAL", "SOURCES", "TESTS", "RECORDED_TESTS", "REALTIME_TESTS",
            "SLOW_TESTS", "BENCHMARKS", "FUZZERS"}


class TableError(Exception):
    pass


def parse_table(text):
    """{layer, sub-folder or header: [what it may include]}"""
    table = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        name, colon, uses = line.partition(":")
        if not colon or name.strip() in table:
            raise TableError(f"line {number}: want `layer: layers`, each layer once, got `{line}`")
        table[name.strip()] = uses.split()
    for name, uses in table.items():
        for used in uses:
            if used != "*" and used not in table and used.split("/")[0] not in table:
                raise TableError(f"`{name}` may use `{used}`, which is not in the table")
    return table


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


def allowed_from(table, path):
    """What the file or folder may include: its layer's line and those of its sub-folders' lines."""
    keys = [key for key in table if under(entry_path(path), key)]
    if not keys:
        return None
    return ["base", keys[0].split("/")[0]] + [used for key in keys for used in table[key]]


def check_includes(table, path, code):
    allowed = allowed_from(table, path)
    if allowed is None:
        yield 1, f"{path.rsplit('/', 1)[0]}/ is not in the table; add a line to scripts/layers.txt"
        return
    for match in INCLUDE.finditer(code):
        quote, header = match.groups()
        line = line_of(code, match.start())
        if not header.startswith("truewatt/"):
            if quote == '"' and path.startswith("truewatt/"):
                yield line, f'"{header}": write the path from the root, "truewatt/..."'
            continue
        if "*" not in allowed and not any(under(header[len("truewatt/"):], a) for a in allowed):
            yield line, (f"may not include {header} (may: {' '.join(allowed)}). If the edge is "
                         "right, change scripts/layers.txt and docs/architecture.md and say why")


def check_rules(path, code, realtime):
    bench = path.endswith("_bench.cpp")
    # Tests, fuzz targets and the programs of either say what went wrong.
    prints = (bench or path.endswith(("_test.cpp", "_fuzz.cpp")) or "/fuzz/" in path
              or re.search(r"\bint main\(", code))
    excused = {"threads": bench or path in realtime, "clocks": bench or path in realtime,
               "printing": prints, "exiting": prints}
    for name, pattern, places, advice in RULES:
        outside = not path.startswith("truewatt/") and name != "vendor headers"
        if outside or excused.get(name) or path.startswith(places):
            continue
        for match in re.finditer(pattern, code):
            yield line_of(code, match.start()), f"`{match.group(0).strip()}`: {advice}"


def layer_calls(text):
    """[(line, name, {keyword: [argument]})] of each truewatt_layer() call."""
    text = re.sub(r"#[^\n]*", "", text)
    calls = []
    for match in re.finditer(r"\btruewatt_layer\s*\(([^)]*)\)", text):
        name, *rest = match.group(1).split() or [""]
        lists, current = {}, []
        for word in rest:
            if word in KEYWORDS:
                current = lists.setdefault(word, [])
            else:
                current.append(word)
        calls.append((line_of(text, match.start()), name, lists))
    return calls


class Tree:
    """The sources and the CMake lists of one checkout."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.table = parse_table((self.root / "scripts/layers.txt").read_text())
        # `energy_results` is the target of `energy/results.hpp`.
        headers = {used for uses in self.table.values() for used in uses if used.endswith(".hpp")}
        self.by_target = {key.removesuffix(".hpp").replace("/", "_"): key
                          for key in headers.union(self.table)}
        self.code = {path: strip_code(text) for path, text in self.read(self.is_source)}
        self.cmake = dict(self.read(lambda path: path.name == "CMakeLists.txt"))

    @staticmethod
    def is_source(path):
        return path.suffix in SOURCE_SUFFIXES

    def read(self, wanted):
        for top in ROOTS:
            for path in sorted((self.root / top).rglob("*")):
                relative = path.relative_to(self.root).as_posix()
                if path.is_file() and wanted(path) and not relative.startswith(SKIPPED):
                    yield relative, path.read_text(errors="replace")

    def realtime_tests(self):
        """The files in a REALTIME_TESTS list: they may sleep and read clocks."""
        return {f"{path.rsplit('/', 1)[0]}/{test}" for path, text in self.cmake.items()
                for _, _, lists in layer_calls(text) for test in lists.get("REALTIME_TESTS", [])}

    def check_cmake(self, path, text):
        folder = path.rsplit("/", 1)[0]
        if not folder.startswith("truewatt/"):
            return
        # A sub-folder with a list of its own answers for itself.
        keys = [key for key in self.table if under(entry_path(folder), key) or
                under(key, entry_path(folder)) and f"truewatt/{key}/CMakeLists.txt" not in self.cmake]
        allowed = {entry_path(folder).split("/")[0], "base"}.union(*(self.table[k] for k in keys))

        def may_use(target):
            return "*" in allowed or any(under(target, a) for a in allowed)
        named = set()
        for line, name, lists in layer_calls(text):
            if self.by_target.get(name) is None:
                yield line, f"truewatt_layer({name}) is not in the table scripts/layers.txt"
            named |= {self.by_target.get(used, used) for used in lists.get("USES", [])}
            for used in lists.get("USES", []):
                if not may_use(self.by_target.get(used, used)):
                    yield line, f"USES {used}: the table does not let {name} use it"
        for match in re.finditer(r"\btruewatt(?:_|::)(\w+)", re.sub(r"#[^\n]*", "", text)):
            used = self.by_target.get(match.group(1))
            if used and not may_use(used):
                yield line_of(text, match.start()), (
                    f"{match.group(0)}: the table does not let {entry_path(folder)} use it")
        if named or layer_calls(text):
            yield from self.missing_uses(folder, named)

    def list_of(self, path):
        """The nearest folder above that has a CMakeLists.txt."""
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/CMakeLists.txt" not in self.cmake:
            folder = folder.rpartition("/")[0]
        return folder

    def missing_uses(self, folder, named):
        """Layers that the sources include, but that USES leaves to whoever links them. A header
        that has its own edge may be all that is wanted of its layer, so it asks for nothing."""
        top = entry_path(folder).split("/")[0]
        linked = {used.split("/")[0] for used in named} | {top, "base"}
        headers = [key for key in self.by_target.values() if key.endswith(".hpp")]
        included = {header.split("/")[1] for path, code in self.code.items()
                    if self.list_of(path) == folder and not re.search(r"_(test|bench|fuzz)\.cpp$", path)
                    for _, header in INCLUDE.findall(code)
                    if header.startswith("truewatt/") and entry_path(header) not in headers}
        for layer in sorted(included - linked):
            yield 1, f"the sources include truewatt/{layer}/, so USES must name {layer}"

    def violations(self):
        realtime = self.realtime_tests()
        for path, code in self.code.items():
            for line, message in check_includes(self.table, path, code):
                yield path, line, message
            for line, message in check_rules(path, code, realtime):
                yield path, line, message
        for path, text in self.cmake.items():
            for line, message in self.check_cmake(path, text):
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
