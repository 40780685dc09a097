"""`truewatt instructions`: tables that are measured, shown again, compared and summed."""

import json
import pathlib
import re
import unittest

from verb import TESTS, Verb


class Instructions(Verb):
    BOARD = """[power]
sleep_w = 40
idle_w = 80
max_w = 500
[[sensor]]
source = "power.instant"
averaging_window_s = 0.1
[machine]
sms = 60
clock_hz = 1.4e9
lanes_per_cycle = 64
[instructions]
"add.s32" = 6e-12
"""

    def setUp(self):
        super().setUp()
        (self.folder / "board.toml").write_text(self.BOARD)

    def test_a_board_without_a_sensor_is_told(self):
        (self.folder / "none.toml").write_text("[power]\nidle_w = 60\nmax_w = 360\n")
        call = self.call("instructions", "-d", "sim:none.toml", "--only", "add.s32")
        self.assertEqual(call.returncode, 3)
        self.assertIn("has no power sensor and no energy counter; `truewatt doctor`", call.stderr)
        self.assertNotIn("characterize", call.stderr)

    def test_the_budget_that_a_note_names_reaches_all_rows(self):
        rising = "rise_time_constant_s = 0.46\nrise_fraction = 0.9\n"
        (self.folder / "rising.toml").write_text(
            self.BOARD.replace("max_w", rising + "max_w")
            .replace("averaging_window_s = 0.1", "update_period_s = 0.02\naveraging_window_s = 0.02"))

        def table_of(budget):
            self.call("instructions", "-d", "sim:rising.toml", "--only", "add.*", "--opt", "O3",
                      "--budget", str(budget), "--json", "table.json", "-q")
            return json.loads((self.folder / "table.json").read_text())

        # The first recording's idle moves, so that it is left out: what it had comes again.
        self.assertTrue(all(row["valid"] for row in table_of(170)["rows"]))
        short = table_of(100)
        without = sum(not row["valid"] for row in short["rows"])
        note, = (note for note in short["notes"] if "reaches all" in note)
        self.assertEqual(int(note.split()[0]), without, note)
        enough = re.search(r"--budget (\d+) reaches all", note)[1]
        self.assertTrue(all(row["valid"] for row in table_of(enough)["rows"]))

    def test_a_device_file_with_a_comma_in_its_name_is_told(self):
        (self.folder / "a,b.toml").write_text(self.BOARD)
        call = self.call("instructions", "-d", "sim:a,b.toml", "--only", "add.s32")
        self.assertEqual(call.returncode, 2)
        self.assertIn("`b.toml` is no GPU", call.stderr)
        self.assertIn("split at commas", call.stderr)
        call = self.call("instructions", "-d", "sim:board.toml,0", "--only", "add.s32")
        self.assertIn("cannot be measured together", call.stderr)

    def test_a_profile_of_another_device_is_told(self):
        call = self.call("characterize", "-d", "sim:a100", "--budget", "15", "-q", "--json", "a100.json")
        self.assertEqual(call.returncode, 0, call.stderr)
        call = self.call("instructions", "-d", "sim:h100", "--only", "add.s32", "--opt", "O3",
                         "--budget", "60", "--profile", "a100.json", "--json", "table.json")
        self.assertEqual(call.returncode, 0, call.stderr)
        notes = " ".join(json.loads((self.folder / "table.json").read_text())["notes"])
        self.assertIn("a100.json was made on another device (sim:a100, ", notes)
        self.assertIn("it is not used for sim:h100", notes)
        self.assertIn("no profile of this device was given", notes)

    def test_readers_without_a_power_source_are_told(self):
        (self.folder / "counter.toml").write_text(
            self.BOARD.replace("power.instant", "energy.counter"))
        call = self.call("instructions", "-d", "sim:counter.toml", "--only", "add.s32", "--opt", "O3",
                         "--budget", "60", "--protocol", "all")
        self.assertEqual(call.returncode, 0, call.stderr)
        self.assertIn("SMA, PAPI and MTSM have no energies", call.stdout)

    def test_rows_less_a_partner_are_marked(self):
        call = self.call("instructions", "-d", "sim:board.toml", "--only", "add.s32,xor.b32,shl.b32",
                         "--opt", "O3", "--budget", "60", "--json", "table.json", "--report", "table.html")
        self.assertEqual(call.returncode, 0, call.stderr)
        marked = re.findall(r"^ +(\S+) +[\d.]+ ± [\d.]+ +c?f?n?p  ", call.stdout, re.MULTILINE)
        self.assertEqual(marked, ["shl.b32"])
        self.assertRegex(call.stdout, r"p: less the row of a partner")
        self.assertIn("less xor.b32, with what the two draw together",
                      (self.folder / "table.html").read_text())
        table = json.loads((self.folder / "table.json").read_text())
        table["mixing"] = {"share": 0.12, "share_standard_uncertainty": 0.02, "scatter": 0.09, "pairs": []}
        (self.folder / "table.json").write_text(json.dumps(table))
        again = self.call("instructions", "--from", "table.json")
        self.assertIn("(12 % of the row where", " ".join(again.stdout.split()))

    def test_rows_with_what_they_need_beside_them_are_marked(self):
        table = str(TESTS.parent / "docs/tables/instructions_h200.json")
        call = self.call("instructions", "--from", table)
        marked = re.findall(r"^ +(\S+) +[\d.]+ ± [\d.]+ +c?f?m", call.stdout, re.MULTILINE)
        pairs = [row["instruction"] for row in json.loads(pathlib.Path(table).read_text())["rows"]
                 if row["opt"] == "O3" and "pair" in row["reasons"]]
        self.assertIn("bra.uniform", pairs)
        self.assertEqual(sorted(marked), sorted(pairs))
        self.assertIn("m: with the instructions that it needs beside it", " ".join(call.stdout.split()))

    def test_a_superchips_module_is_not_taken_for_its_gpu(self):
        call = self.call("instructions", "-d", "sim:gh200", "--only", "fma.rn.f32", "--opt", "O3",
                         "--budget", "60", "--json", "table.json", "-q")
        self.assertEqual(call.returncode, 0, call.stderr)
        idle = json.loads((self.folder / "table.json").read_text())["baselines"]["idle_with_context_w"]
        # The GPU's; the module draws 80 W more.
        self.assertLess(idle["lower"], 90)
        self.assertGreater(idle["upper"], 90)
        self.assertLess(idle["upper"] - idle["lower"], 5)

    def test_a_table_is_measured_shown_again_compared_and_summed(self):
        call = self.call("instructions", "-d", "sim:board.toml", "--only", "add.s32",
                         "--only", "fma.rn.f32", "--opt", "O3", "--budget", "60",
                         "--json", "table.json", "--report", "table.html")
        self.assertEqual(call.returncode, 0, call.stderr)
        self.assertIn("Idle with a context", call.stdout)
        self.assert_obeys("instructions", "table.json")
        self.assertIn("</html>", (self.folder / "table.html").read_text())
        table = json.loads((self.folder / "table.json").read_text())
        self.assertEqual(table["baselines"]["rung"], "context")
        rows = table["rows"]
        add = next(row for row in rows if row["instruction"] == "add.s32")
        self.assertTrue(add["valid"])
        self.assertAlmostEqual(add["dynamic_j"]["value"], 6e-12, delta=0.03 * 6e-12)

        again = self.call("instructions", "--from", "table.json", "-q", "--json", "again.json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads((self.folder / "again.json").read_text()), table)
        some = self.call("instructions", "--from", "table.json", "-x", ";", "--only", "add.s32")
        self.assertEqual(len(some.stdout.splitlines()), 2)

        shown = self.call("instructions", "--from", "table.json", "-x", ";")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertTrue(shown.stdout.startswith("instruction;group;opt;operands;dynamic_j"))
        compared = self.call("instructions", "--from", "table.json", "--compare", "table.json")
        self.assertIn("1.0000 ±", compared.stdout)
        compared = self.call("instructions", "--from", "table.json", "--compare", "table.json",
                             "-x", ";", "-q", "--json", "compared.json")
        head, *lines = compared.stdout.splitlines()
        self.assertEqual(dict(zip(head.split(";"), lines[0].split(";")))["ratio"], "1")
        self.assertEqual(compared.stderr, "")
        self.assert_obeys("instructions", "compared.json")
        shown = json.loads((self.folder / "compared.json").read_text())["comparison"]
        self.assertEqual(len(shown["rows"]), len(lines))
        self.assertEqual(shown["rows"][0]["ratio"]["value"], 1)
        published = self.call("instructions", "--from", "table.json", "--compare", "arafa2020")
        self.assertIn("integer arithmetic: add / sub / min / max", published.stdout)
        self.assertNotIn("PAPI", published.stdout)
        published = self.call("instructions", "--from", "table.json", "--compare", "arafa2020",
                              "-v", "--json", "published.json")
        self.assertIn("O3, their PAPI", published.stdout)
        self.assert_obeys("instructions", "published.json")
        beside = json.loads((self.folder / "published.json").read_text())["published"]
        row, = (row for row in beside["rows"] if row["group"] == "integer arithmetic"
                and row["name"] == "add / sub / min / max" and row["opt"] == "O3")
        self.assertAlmostEqual(row["mean_j"], add["dynamic_j"]["value"])
        volta = {value["reader"]: value["energy_j"] for value in row["published"]
                 if value["gpu"] == "TITAN V"}
        self.assertEqual(sorted(volta), ["mtsm", "papi"])
        self.assertAlmostEqual(volta["papi"], 0.0064e-6, delta=1e-15)
        self.assertAlmostEqual(volta["mtsm"], 0.0012e-6, delta=1e-15)
        published = self.call("instructions", "--from", "table.json", "--compare", "arafa2020",
                              "-x", ";", "-q")
        self.assertIn("integer arithmetic;add / sub / min / max;O3;idle;", published.stdout)
        published = self.call("instructions", "--from", "table.json", "--compare", "published")
        self.assertEqual(published.returncode, 0, published.stderr)
        self.assertIn(" beside published values", published.stdout)
        (self.folder / "counts.csv").write_text("name,count\nadd.s32,1e12\nHGMMA,1e9\n")
        summed = self.call("instructions", "--from", "table.json", "--predict", "counts.csv")
        self.assertIn("99.9 % of the executed instructions", summed.stdout)
        selected = self.call("instructions", "--from", "table.json", "--predict", "counts.csv",
                             "--only", "fma.rn.f32")
        self.assertEqual(selected.returncode, 4)
        self.assertIn("not in the table: add.s32", selected.stdout)
        self.assertIn("not in the table: HGMMA", summed.stdout)
        self.assertIn("it holds names of PTX", " ".join(summed.stdout.split()))
        (self.folder / "counts.csv").write_text("add.s32,0\n")
        nothing = self.call("instructions", "--from", "table.json", "--predict", "counts.csv")
        self.assertEqual(nothing.returncode, 1)
        self.assertIn("holds no counts above 0", nothing.stderr)
        (self.folder / "counts.csv").write_text("HGMMA,1e9\n")
        summed = self.call("instructions", "--from", "table.json", "--predict", "counts.csv",
                           "--json", "predicted.json")
        self.assertEqual(summed.returncode, 4)
        self.assertIn("none of it is in the table", summed.stdout)
        self.assertIn("it holds names of PTX", " ".join(summed.stdout.split()))
        predicted = json.loads((self.folder / "predicted.json").read_text())["prediction"]
        self.assertIsNone(predicted["energy_j"])

        (self.folder / "kernel.ptx").write_text(
            ".version 8.0\n.target sm_90\n.visible .entry sums() { .reg .b32 %r<3>;\n"
            "LOOP: add.s32 %r1, %r1, %r2; add.s32 %r1, %r1, %r2; @%p1 bra LOOP; ret; }\n")
        summed = self.call("instructions", "--from", "table.json", "--predict", "kernel.ptx")
        joules = re.search(r"of one thread of sums: ([0-9.]+) pJ", summed.stdout)
        self.assertAlmostEqual(float(joules.group(1)), 12, delta=0.03 * 12)
        self.assertIn("50.0 % of the executed instructions", summed.stdout)
        (self.folder / "counts.csv").write_text("name,count\nadd.s32,1e12\n")
        summed = self.call("instructions", "--from", "table.json", "--predict", "kernel.ptx",
                           "--counts", "counts.csv", "--json", "predicted.json")
        self.assertIn("not counted: bra, ret", summed.stdout)
        predicted = json.loads((self.folder / "predicted.json").read_text())["prediction"]
        self.assertEqual(predicted["of"], "counts")
        self.assertAlmostEqual(predicted["energy_j"]["value"], 6, delta=0.03 * 6)
        wrong = self.call("instructions", "-d", "sim:board.toml", "--predict", "kernel.ptx",
                          "--kernel", "products")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("name one of them with --kernel: sums", wrong.stderr)
        wrong = self.call("instructions", "--from", "table.json", "--predict", "table.json",
                          "--counts", "counts.csv")
        self.assertIn("neither PTX nor a cubin", wrong.stderr)

    def test_lines_of_counts_may_have_blanks_and_comments(self):
        table = str(TESTS.parent / "docs/tables/instructions_h100.json")

        def predicted(text):
            (self.folder / "counts.csv").write_text(text)
            return self.call("instructions", "--from", table, "--predict", "counts.csv", "-x", ";")

        plain = predicted("add.s32,5\nfma.rn.f32,7\n")
        self.assertEqual(plain.returncode, 0, plain.stderr)
        for text in (" add.s32 , 5 \r\n\n\tfma.rn.f32,\t7",
                     "# of a kernel, once\nname, count\n  # two of them, in all\nadd.s32,5\nfma.rn.f32, 7\n"):
            call = predicted(text)
            self.assertEqual((call.stdout, call.stderr), (plain.stdout, plain.stderr), text)
        for text, error in (("# first\nadd.s32,1e300\n", "counts.csv:2: 1e300 is more than"),
                            ("add.s32,1e24\nadd.s32,nan\n", "counts.csv:2: expected NAME,COUNT"),
                            ("add.s32,5\nname,count\n", "counts.csv:2: expected NAME,COUNT"),
                            (" ,5\n", "counts.csv:1: expected NAME,COUNT"),
                            ("# add.s32,5\n", "holds no counts;")):
            call = predicted(text)
            self.assertEqual(call.returncode, 1, text)
            self.assertIn(error, call.stderr)

    def test_rows_beside_others_have_their_operands(self):
        table = str(TESTS.parent / "docs/tables/instructions_h100_operands.json")
        call = self.call("instructions", "--from", table, "--compare", table)
        lines = [line for line in call.stdout.splitlines() if line.startswith(" fma.rn.f32 ")]
        self.assertEqual([line.split("O3")[0].strip() for line in lines],
                         ["fma.rn.f32", "fma.rn.f32 (zeros)"])

    def test_rows_of_the_operands_asked_for_predict(self):
        table = str(TESTS.parent / "docs/tables/instructions_h100_operands.json")
        rows = json.loads(pathlib.Path(table).read_text())["rows"]
        value = {row["operands"]: row["dynamic_j"]["value"] for row in rows
                 if row["instruction"] == "fma.rn.f32" and row["opt"] == "O3"}
        (self.folder / "counts.csv").write_text("fma.rn.f32,1e12\n")
        for operands in ("random", "zeros"):
            call = self.call("instructions", "--from", table, "--operands", operands,
                             "--predict", "counts.csv", "--json", "predicted.json")
            self.assertEqual(call.returncode, 0, call.stderr)
            self.assertEqual("operands zeros:" in call.stdout, operands == "zeros")
            predicted = json.loads((self.folder / "predicted.json").read_text())["prediction"]
            self.assertAlmostEqual(predicted["energy_j"]["value"], 1e12 * value[operands])
            self.assertEqual(predicted["operands"], operands)
            self.assert_obeys("instructions", "predicted.json")
        zeros = json.loads(pathlib.Path(table).read_text())
        zeros["rows"] = [row for row in rows if row["operands"] == "zeros"]
        (self.folder / "zeros.json").write_text(json.dumps(zeros))
        call = self.call("instructions", "--from", "zeros.json", "--predict", "counts.csv")
        self.assertEqual(call.returncode, 2)
        self.assertIn("rows of zeros alone", call.stderr)
        call = self.call("instructions", "--from", "zeros.json", "--predict", "counts.csv",
                         "--operands", "zeros")
        self.assertEqual(call.returncode, 0, call.stderr)

    def test_readers_have_errors_against_the_estimate_or_a_meter(self):
        told = {}
        for meter in ([], ["--meter", "sim"]):
            call = self.call("instructions", "-d", "sim:board.toml", "--only", "add.s32",
                             "--opt", "O3", "--budget", "60", "--protocol", "all",
                             "--json", "table.json", *meter)
            self.assertEqual(call.returncode, 0, call.stderr)
            errors = json.loads((self.folder / "table.json").read_text())["reader_errors"]
            self.assertEqual(sorted(errors["readers"]), ["mtsm", "papi", "sma"])
            self.assertIn("MAPE", call.stdout)
            self.assertIn("MAPE", self.call("instructions", "--from", "table.json").stdout)
            told[errors["reference"]] = errors
        self.assertEqual(told["meter"]["meter"], "PMD-USB (simulated)")
        self.assertIsNone(told["estimate"]["meter"])
        call = self.call("instructions", "-d", "sim:board.toml", "--meter", "sim")
        self.assertEqual(call.returncode, 2)
        self.assertIn("--protocol all", call.stderr)

    def test_kernels_of_known_counts_verify_the_table(self):
        call = self.call("instructions", "-d", "sim:board.toml", "--only", "add.s32", "--opt", "O3",
                         "--budget", "100", "--verify", "--json", "table.json")
        self.assertEqual(call.returncode, 0, call.stdout + call.stderr)
        self.assertIn("kernels of known counts", call.stdout)
        kernels = json.loads((self.folder / "table.json").read_text())["verification"]
        self.assertEqual([kernel["holds"] for kernel in kernels], [True] * 4)
        shown = self.call("instructions", "--from", "table.json")
        self.assertIn("kernels of known counts", shown.stdout)
        call = self.call("instructions", "-d", "sim:board.toml", "--only", "add.s32", "--opt", "O0",
                         "--budget", "60", "--verify")
        self.assertEqual(call.returncode, 4)
        self.assertIn("has no number at O3", call.stdout)

    def test_the_protocol_of_arafa_stands_beside_the_table(self):
        call = self.call("instructions", "-d", "sim:board.toml", "--only", "add.s32", "--opt", "O3",
                         "--budget", "60", "--protocol", "arafa", "--json", "table.json",
                         "--report", "table.html")
        self.assertEqual(call.returncode, 0, call.stderr)
        self.assertIn("by Arafa et al.", (self.folder / "table.html").read_text())
        self.assertIn("by Arafa et al.'s protocol", call.stdout)
        shown = self.call("instructions", "--from", "table.json")
        self.assertIn("by Arafa et al.'s protocol", shown.stdout)
        row = json.loads((self.folder / "table.json").read_text())["rows"][0]
        self.assertGreater(row["arafa_protocol"]["times_dynamic"], 300)
        self.assertGreater(row["arafa_protocol"]["idle_power_times_time_j"],
                           0.9 * row["arafa_protocol"]["energy_j"]["value"])

    def test_what_is_not_there_is_refused_with_what_is(self):
        call = self.call("instructions", "-d", "sim:board.toml", "--only", "fma.rm.f32")
        self.assertEqual(call.returncode, 2)
        self.assertIn("did you mean `fma.rn.f32`", call.stderr)
        call = self.call("instructions", "--from", "board.toml")
        self.assertNotEqual(call.returncode, 0)
        self.assertIn("is not JSON", call.stderr)
        table = str(TESTS.parent / "docs/tables/instructions_h100.json")
        call = self.call("instructions", "--from", table, "--operands", "zeros")
        self.assertEqual(call.returncode, 2)
        self.assertIn("has no such row", call.stderr)
        both = self.call("instructions", "--from", table, "--opt", "O3,O0", "--operands",
                         "zeros,random", "-x", ";")
        self.assertEqual({line.split(";")[2] for line in both.stdout.splitlines()[1:]}, {"O3", "O0"})
        sine = self.call("instructions", "--from", table, "--only", "sin.approx.f32")
        self.assertIn("note: add.f32 is measured too", " ".join(sine.stdout.split()))
        call = self.call("instructions", "--from", table, "--opt", "O3,O1")
        self.assertIn("O1", call.stderr)
        other = self.call("memory", "--from", table)
        self.assertIn("is of the schema truewatt.instructions/1", other.stderr)
        call = self.call("instructions", "-d", "sim:board.toml", "--budget", "29")
        self.assertEqual(call.returncode, 2)
        self.assertIn("30 to 86400", call.stderr)
        call = self.call("instructions", "--from", table, "--budget", "30")
        self.assertIn("--from does not go with --budget", call.stderr)
        call = self.call("instructions", "--from", table, "--list")
        self.assertEqual(call.returncode, 2)
        empty = json.loads(pathlib.Path(table).read_text()) | {"rows": []}
        (self.folder / "empty.json").write_text(json.dumps(empty))
        self.assertEqual(self.call("instructions", "--from", "empty.json").returncode, 4)

    def test_the_list_names_every_row_once(self):
        some = self.call("instructions", "--list", "--only", "shl.b32")
        self.assertEqual(re.findall(r"^  (\S+)", some.stdout, re.MULTILINE), ["xor.b32", "shl.b32"])
        self.assertEqual(self.call("instructions", "--list", "--only", "shl.b33").returncode, 2)
        for words in (["--json", "list.json"], ["-x", ";"], ["--budget", "60"], ["-d", "sim:h100"],
                      ["--report", "list.html"], ["--verify"]):
            call = self.call("instructions", "--list", *words)
            self.assertEqual(call.returncode, 2, words)
            self.assertIn("--list does not go with -", call.stderr)
        self.assertEqual(self.call("instructions", "--list", TRUEWATT_DEVICE="sim:h100").returncode, 0)
        call = self.call("instructions", "--list")
        names = [line.split()[0] for line in call.stdout.splitlines() if line.startswith("  ")]
        self.assertGreater(len(names), 120)
        self.assertEqual(len(names), len(set(names)))

    def test_the_committed_table_is_readable(self):
        call = self.call("instructions",
                         "--from", str(TESTS.parent / "docs/tables/instructions_h100.json"))
        self.assertEqual(call.returncode, 0, call.stderr)
        self.assertIn("190 of 190 rows have a number", call.stdout)
        self.assertNotIn("does not predict", call.stdout)


if __name__ == "__main__":
    unittest.main()
