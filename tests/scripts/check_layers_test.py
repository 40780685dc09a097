"""Each kind of violation is found by scripts/check_layers.py, and nothing else is."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/check_layers.py"

TABLE = """
base:
trace:          # a comment
energy: trace
sensor: trace
simgpu:
sensor/simulated: sensor simgpu trace
capture: sensor
report: energy/results.hpp
store: trace <json>
cli: *
testing: *
tests: *
"""


class CheckLayers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.write("scripts/layers.txt", TABLE)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self):
        run = subprocess.run([sys.executable, SCRIPT, "--root", self.root], text=True,
                             capture_output=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def assert_clean(self):
        status, output = self.check()
        self.assertEqual(status, 0, output)

    def assert_violation(self, *texts):
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertEqual(len(output.splitlines()), 1, output)
        for text in texts:
            self.assertIn(text, output)

    def test_allowed_edges_pass(self):
        self.write("truewatt/energy/a.cpp", '#include "truewatt/energy/a.hpp"\n#include <vector>\n'
                   '#include "truewatt/base/units.hpp"\n#include "truewatt/trace/trace.hpp"\n')
        self.assert_clean()

    def test_forbidden_edge_is_found_with_its_line(self):
        self.write("truewatt/trace/a.hpp", '#pragma once\n\n#include "truewatt/energy/b.hpp"\n')
        self.assert_violation("truewatt/trace/a.hpp:3:", "truewatt/energy/b.hpp")

    def test_angle_brackets_hide_nothing(self):
        self.write("truewatt/trace/a.hpp", "#include <truewatt/energy/b.hpp>\n")
        self.assert_violation("truewatt/trace/a.hpp:1:")

    def test_edges_are_not_transitive(self):
        self.write("truewatt/capture/a.cpp", '#include "truewatt/trace/trace.hpp"\n')
        self.assert_violation("truewatt/capture/a.cpp:1:")

    def test_tests_obey_their_layers_line(self):
        self.write("truewatt/energy/a_test.cpp", '#include "truewatt/simgpu/gpu.hpp"\n')
        self.assert_violation("truewatt/energy/a_test.cpp:1:")

    def test_subfolder_is_a_layer_of_its_own(self):
        both = '#include "truewatt/simgpu/gpu.hpp"\n#include "truewatt/trace/trace.hpp"\n'
        self.write("truewatt/sensor/simulated/a.cpp", both)
        self.assert_clean()
        self.write("truewatt/sensor/nvml/a.cpp", both)
        self.assert_violation("truewatt/sensor/nvml/a.cpp:1:", "simgpu")

    def test_layer_does_not_see_its_subfolders(self):
        self.write("truewatt/sensor/a.cpp", '#include "truewatt/sensor/simulated/a.hpp"\n')
        self.assert_violation("truewatt/sensor/a.cpp:1:", "sensor/simulated")

    def test_outside_libraries_have_their_layers(self):
        self.write("truewatt/store/a.cpp", "#include <nlohmann/json.hpp>\n")
        self.assert_clean()
        self.write("truewatt/trace/a.cpp", "#include <nlohmann/json.hpp>\n")
        self.assert_violation("truewatt/trace/a.cpp:1:", "<json>")

    def test_only_tests_use_what_tests_share(self):
        self.write("truewatt/trace/a_test.cpp", '#include "truewatt/testing/traces.hpp"\n')
        self.assert_clean()
        self.write("truewatt/trace/a.cpp", '#include "truewatt/testing/traces.hpp"\n')
        self.assert_violation("truewatt/trace/a.cpp:1:", "testing")

    def test_header_edge_is_that_header_only(self):
        self.write("truewatt/report/a.cpp", '#include "truewatt/energy/results.hpp"\n')
        self.assert_clean()
        self.write("truewatt/report/b.cpp", '#include "truewatt/energy/integrate.hpp"\n')
        self.assert_violation("truewatt/report/b.cpp:1:")

    def test_star_may_include_everything(self):
        for folder in ("truewatt/cli", "tests/integration"):
            self.write(f"{folder}/a.cpp", '#include "truewatt/simgpu/gpu.hpp"\n')
        self.assert_clean()

    def test_folder_outside_the_table_is_found(self):
        self.write("truewatt/helpers/a.cpp", "int a;\n")
        self.assert_violation("truewatt/helpers/ is not in the table")

    def test_relative_includes_are_found(self):
        self.write("truewatt/trace/a.cpp", '#include "../energy/a.hpp"\n')
        self.assert_violation("truewatt/trace/a.cpp:1:", "from the root")

    def test_comments_and_strings_are_not_code(self):
        self.write("truewatt/trace/a.cpp", """
            // #include "truewatt/energy/a.hpp"
            /* #include <thread>
               std::cout */ const char* text = "printf(";
            const char* raw = R"(#include <mutex>)";
            long digits = 1'000'000; char quote = '"'; // exit(1)
            """)
        self.assert_clean()

    def test_code_after_digit_separators_and_quotes_is_still_seen(self):
        self.write("truewatt/trace/a.cpp", "long d = 1'000; char q = '\"';\nint x = (exit(1), 2);\n")
        self.assert_violation("truewatt/trace/a.cpp:2:", "exit(")

    def test_threads_stay_in_capture(self):
        self.write("truewatt/capture/a.cpp", "#include <thread>\n#include <mutex>\n")
        self.assert_clean()
        self.write("truewatt/trace/a.cpp", "#include <mutex>\n")
        self.assert_violation("truewatt/trace/a.cpp:1:", "threads")

    def test_clock_readings_are_found(self):
        for call in ("std::chrono::steady_clock::now()", "std::chrono::system_clock::now()",
                     "clock_gettime(0, &t)", "std::this_thread::sleep_for(x)", "usleep(1)",
                     "nanosleep(&t, nullptr)"):
            self.write("truewatt/energy/a_test.cpp", f"auto t = {call};\n")
            self.assert_violation("truewatt/energy/a_test.cpp:1:", "Clock")

    def test_waiting_on_the_clock_parameter_is_no_clock_reading(self):
        self.write("truewatt/energy/a.cpp", "clock.sleep_until(clock.now() + 5ms);\n")
        self.assert_clean()

    def test_realtime_tests_may_read_clocks(self):
        self.write("truewatt/sensor/a_realtime_test.cpp",
                   "auto t = std::chrono::steady_clock::now();\n")
        self.assert_clean()

    def test_printing_and_exiting_stay_in_the_command_line(self):
        for call in ("std::cout << 1;", 'printf("x");', "fprintf(stderr, \"x\");", "std::exit(1);",
                     "exit(1);", 'fmt::print("x");'):
            self.write("truewatt/cli/a.cpp", call + "\n")
            self.write("truewatt/trace/a_test.cpp", call + "\n")
            self.write("truewatt/trace/a.cpp", call + "\n")
            self.assert_violation("truewatt/trace/a.cpp:1:", "only cli/")

    def test_fuzz_targets_and_programs_of_the_tests_may_print(self):
        self.write("truewatt/trace/fuzz/check.hpp", "inline void a() { std::cerr << 1; }\n")
        self.write("truewatt/trace/samples.cpp", "int main() { std::cerr << 1; }\n")
        self.assert_clean()

    def test_formatting_into_memory_or_a_file_is_not_printing(self):
        self.write("truewatt/trace/a.cpp", 'snprintf(b, 4, "x"); fprintf(file, "x"); on_exit(f);'
                   ' sink.exit(1); _exit(127); fmt::print(file, "x");\n')
        self.assert_clean()

    def test_vendor_headers_are_found_everywhere(self):
        for header in ("nvml.h", "cuda.h", "cuda_runtime.h", "cupti.h"):
            self.write("truewatt/cli/a.cpp", f"#include <{header}>\n")
            self.assert_violation("truewatt/cli/a.cpp:1:", header)

    def test_files_are_in_the_namespace_of_their_top_folder(self):
        for folder in ("truewatt/sensor", "truewatt/sensor/simulated"):
            self.write(folder + "/a.cpp", "namespace truewatt::sensor {\nnamespace {\n}\n}\n")
            self.write(folder + "/b.cpp", "namespace truewatt::sensor::inner {\n}\n")
        self.assert_clean()
        for namespace in ("truewatt", "truewatt::simulated", "truewatt::energy::sensor"):
            self.write("truewatt/sensor/a.cpp", f"\nnamespace {namespace} {{\nint a;\n}}\n")
            self.assert_violation("truewatt/sensor/a.cpp:2:", "truewatt::sensor")

    def test_what_everybody_speaks_of_is_in_no_other_folders_namespace(self):
        self.write("truewatt/base/a.hpp", "namespace truewatt {\n}\n")
        self.write("truewatt/trace/a.hpp", "namespace truewatt::trace {\n}\n")
        self.write("truewatt/trace/b.hpp", "namespace truewatt::units {\n}\n")
        self.assert_clean()
        self.write("truewatt/trace/a.hpp", "namespace truewatt::energy {\nint a;\n}\n")
        self.assert_violation("truewatt/trace/a.hpp:1:", "truewatt::trace")

    def test_types_of_other_namespaces_may_be_declared(self):
        self.write("truewatt/capture/a.hpp", "namespace truewatt::sensor {\nclass A;\nstruct B;\n}"
                   "\nnamespace truewatt::capture {\nint a;\n}\n")
        self.assert_clean()

    def test_tests_and_stand_ins_choose_their_namespace(self):
        for folder in ("truewatt/testing", "tests/system"):
            self.write(folder + "/a.hpp", "namespace truewatt::energy {\nint a;\n}\n")
        self.assert_clean()

    def test_table_that_contradicts_itself_is_refused(self):
        for text in ("a: b\n", "a:\na:\n", "just words\n", "a: b\nb: a\n"):
            self.write("scripts/layers.txt", text)
            status, output = self.check()
            self.assertEqual(status, 2, output)
            self.assertIn("scripts/layers.txt", output)


if __name__ == "__main__":
    unittest.main()
