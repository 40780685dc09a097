"""`--node`: the host's own meters beside the GPUs, from trees of files like the kernel's.

Arguments: the program, the simulated libnvidia-ml.so.1 and the tests' libcuda.so.1.
"""

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest

from command_line import PROGRAM, CommandLine

NVML, CUDA = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
TESTS = pathlib.Path(__file__).resolve().parent.parent
COMMAND = ["--load", "step:on=1s", "--", "sleep", "1.2"]


class Counter(threading.Thread):
    """RAPL's energy_uj at a constant power, wrapping at `range_j`."""

    def __init__(self, file, power_w, start_j, range_j):
        super().__init__(daemon=True)
        self.file, self.power_w, self.start_j, self.range_j = file, power_w, start_j, range_j
        self.begin = time.monotonic()
        self.over = threading.Event()
        self.wraps = 0
        self.show()

    def show(self):
        joules = self.start_j + self.power_w * (time.monotonic() - self.begin)
        self.wraps = int(joules // self.range_j)
        new = self.file.with_suffix(".new")
        new.write_text(f"{int(1e6 * (joules % self.range_j))}\n")
        os.replace(new, self.file)  # a reader sees one number or the other

    def run(self):
        while not self.over.wait(0.003):
            self.show()

    def stop(self):
        self.over.set()
        self.join()


def without_roots_power_over_files():
    """Root reads whatever it likes; without these capabilities it obeys a file's mode."""
    drop_from_bounding_set, dac_override, dac_read_search = 24, 1, 2
    libc = ctypes.CDLL(None)
    for capability in (dac_override, dac_read_search):
        libc.prctl(drop_from_bounding_set, capability, 0, 0, 0)


class Node(CommandLine):
    def setUp(self):
        super().setUp()
        self.sysfs = self.folder / "sys"
        self.sysfs.mkdir()
        self.environment["TRUEWATT_SYSFS"] = str(self.sysfs)

    def write(self, path, text):
        file = self.sysfs / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")
        return file

    def zone(self, zone, name, power_w, start_j=1.0, range_j=262144.0):
        folder = f"class/powercap/{zone}/"
        self.write(folder + "name", name)
        self.write(folder + "max_energy_range_uj", int(1e6 * range_j))
        counter = Counter(self.write(folder + "energy_uj", 0), power_w, start_j, range_j)
        counter.start()
        self.addCleanup(counter.stop)
        return counter

    def hwmon(self, number, label, power_w):
        folder = f"class/hwmon/hwmon{number}/device/"
        self.write(folder + "power1_oem_info", label)
        self.write(folder + "power1_average", int(1e6 * power_w))

    def run_json(self, *words):
        call = self.call("run", "-q", "--node", "--json", "run.json", *words)
        self.assertEqual(call.returncode, 0, call.stderr)
        schema = subprocess.run(
            [sys.executable, TESTS / "validate_json.py",
             TESTS.parent / "docs/schemas/energy.schema.json", self.folder / "run.json"],
            capture_output=True, text=True, check=False)
        self.assertIn(schema.returncode, (0, 77), schema.stdout)
        return json.loads((self.folder / "run.json").read_text())

    def node_of_a_second(self):
        """On a machine that is busy with something else a simulated GPU may go unseen for so long
        that it has no energy; that is said, and measured again."""
        for _ in range(5):
            run = self.run_json("-d", "sim:h100", *COMMAND)
            if run["devices"][0]["energy_j"] is not None:
                break
        return run["node"], run["devices"][0]

    def assert_holds(self, energy, joules):
        self.assertIsNotNone(energy)
        self.assertLessEqual(energy["lower"], joules)
        self.assertGreaterEqual(energy["upper"], joules)

    def test_adds_packages_and_dram_to_the_gpu_and_follows_a_counter_that_wraps(self):
        package = self.zone("intel-rapl:0", "package-0", 50, start_j=95, range_j=120)
        self.zone("intel-rapl:0:0", "core", 20)
        self.zone("intel-rapl:0:1", "dram", 8)
        self.zone("intel-rapl:1", "psys", 400)
        node, gpu = self.node_of_a_second()
        self.assertGreaterEqual(package.wraps, 1)
        by_scope = {source["scope"]: source for source in node["sources"]}
        self.assertEqual(sorted(by_scope), ["cpu", "gpu", "memory", "module"])
        # 10 % of gain are in the intervals: 6 J; what the file's thread is late by costs 50 W for that.
        self.assert_holds(by_scope["cpu"]["energy_j"], 50 * gpu["window_s"])
        self.assert_holds(by_scope["memory"]["energy_j"], 8 * gpu["window_s"])
        added = [source for source in node["sources"] if source["added"]]
        self.assertEqual([source["scope"] for source in added], ["gpu", "cpu", "memory"])
        self.assertAlmostEqual(node["energy_j"]["value"],
                               sum(source["energy_j"]["value"] for source in added), places=6)
        self.assertEqual(node["covers"], ["GPU 0 (sim:h100)", "CPU package 0 (RAPL)",
                                          "DRAM of CPU package 0 (RAPL)"])
        self.assertEqual(node["reasons"], ["uncalibrated_host"])

    def test_is_null_unless_asked_for(self):
        self.hwmon(1, "Module Power Socket 0", 600)
        call = self.call("run", "-q", "-d", "sim:h100", "--json", "-", "--", "true")
        self.assertIsNone(json.loads(call.stdout)["node"])

    def test_a_superchip_is_its_module_and_never_the_gpu_with_it(self):
        self.hwmon(1, "Module Power Socket 0", 600)
        self.hwmon(2, "Grace Power Socket 0", 130)
        self.hwmon(3, "CPU Power Socket 0", 80)
        self.hwmon(4, "SysIO Power Socket 0", 10)
        run = self.run_json("-d", "sim:gh200", *COMMAND)
        node = run["node"]
        # A steady mean is exact; a window is told to the nanosecond.
        self.assertAlmostEqual(node["energy_j"]["value"], 600 * run["devices"][0]["window_s"],
                               delta=1e-3)
        self.assertEqual(node["covers"], ["Module Power Socket 0 (hwmon)"])
        self.assertEqual([(source["label"], source["scope"], source["added"]) for source in node["sources"]],
                         [("GPU 0 (sim:gh200)", "gpu", False),
                          ("Module Power Socket 0 (hwmon)", "module", True),
                          ("Grace Power Socket 0 (hwmon)", "cpu", False),
                          ("CPU Power Socket 0 (hwmon)", "cpu", False),
                          ("SysIO Power Socket 0 (hwmon)", "cpu", False)])

    def test_a_module_beside_another_gpu_has_no_sum(self):
        self.hwmon(1, "Module Power Socket 0", 600)
        node, _ = self.node_of_a_second()
        self.assertIsNone(node["energy_j"])
        self.assertEqual(node["reasons"], ["node_ambiguous"])
        self.assertFalse(any(source["added"] for source in node["sources"]))

    def test_a_refusal_names_the_permission(self):
        counter = self.zone("intel-rapl:0", "package-0", 50)
        counter.stop()
        counter.file.chmod(0)
        command = [PROGRAM, "run", "--node", "-d", "sim:h100", "--json", "-", "--", "true"]
        call = subprocess.run(command, cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, check=False,
                              preexec_fn=without_roots_power_over_files)
        self.assertEqual(call.returncode, 0, call.stderr)
        node = json.loads(call.stdout)["node"]
        self.assertIsNone(node["energy_j"])
        source = node["sources"][1]
        if "permission_denied" not in source["reasons"]:
            self.skipTest("this user may read whatever it likes")
        self.assertIn("node_incomplete", node["reasons"])
        self.assertIn("permission_denied", node["reasons"])
        self.assertIn(f"chmod o+r {counter.file}", source["refusal"])
        words = " ".join(call.stderr.split())
        self.assertIn("chmod o+r", words)
        self.assertIn("permission_denied", words)

    def test_what_cannot_be_read_is_said(self):
        self.write("class/powercap/intel-rapl:0/name", "package-0")
        (self.sysfs / "class/powercap/intel-rapl:0/energy_uj").mkdir()
        node = self.run_json("-d", "sim:h100", "--", "true")["node"]
        self.assertEqual(node["sources"][1]["reasons"], ["no_usable_source"])
        self.assertIn("directory", node["sources"][1]["refusal"])

    def test_without_meters_says_where_it_looked(self):
        run = self.run_json("-d", "sim:h100", "--", "true")
        self.assertEqual(run["node"], {"sources": [], "energy_j": None, "covers": [], "valid": False, "resolved": False,
                                       "reasons": ["no_host_sources"]})
        self.assertTrue(any(f"{self.sysfs}/class/powercap" in note for note in run["notes"]))

    def test_stands_in_the_run_file_and_harms_nobody_who_reads_it(self):
        self.hwmon(1, "CPU Power Socket 0", 80)
        call = self.call("run", "--node", "-d", "sim:h100", "--out", "run.db", "--report",
                         "run.html", *COMMAND)
        self.assertEqual(call.returncode, 0, call.stderr)
        self.assertIn("CPU Power Socket 0 (hwmon)", call.stderr)
        self.assertIn("CPU Power Socket 0", (self.folder / "run.html").read_text())
        analyzed = self.call("analyze", "-q", "run.db", "--json", "-")
        self.assertEqual(analyzed.returncode, 0, analyzed.stderr)
        sources = [source["source"] for source in json.loads(analyzed.stdout)["sources"]]
        self.assertNotIn("power.average@cpu", sources)
        again = self.call("report", "run.db", "-o", "again.html")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("CPU Power Socket 0", (self.folder / "again.html").read_text())
        compared = self.call("compare", "run.db", "run.db")
        self.assertEqual(compared.returncode, 0, compared.stderr)

    def test_lines_for_programs_end_with_the_node(self):
        self.hwmon(1, "CPU Power Socket 0", 80)
        call = self.call("run", "--node", "-x,", "-d", "sim:h100", *COMMAND)
        lines = call.stderr.strip().splitlines()
        self.assertEqual([line.split(",")[0] for line in lines],
                         ["#device", "0", "total", "host", "node"])

    def test_is_measured_beside_a_load_on_a_real_device(self):
        self.zone("intel-rapl:0", "package-0", 50)
        call = self.call("measure", "-q", "--node", "--load", "step:on=1s", "--json", "-",
                         TRUEWATT_NVML_LIBRARY=NVML, TRUEWATT_CUDA_LIBRARY=CUDA,
                         TRUEWATT_SIM_DEVICES="h100", TRUEWATT_FAKE_CUDA_BUS="10")
        self.assertIn(call.returncode, (0, 4), call.stderr)  # a busy machine may miss readings
        run = json.loads(call.stdout)
        package = run["node"]["sources"][1]
        self.assert_holds(package["energy_j"], 50 * run["devices"][0]["window_s"])

    def test_is_refused_where_time_is_virtual_or_executions_are_many(self):
        call = self.call("measure", "-d", "sim:h100", "--node")
        self.assertEqual(call.returncode, 2)
        self.assertIn("truewatt run", call.stderr)
        call = self.call("measure", "--node", "--repeat", "3")
        self.assertEqual(call.returncode, 2)
        self.assertIn("--repeat", call.stderr)


if __name__ == "__main__":
    unittest.main()
