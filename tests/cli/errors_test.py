"""What is said of misspelt words, wrong values and unreadable files."""

import pathlib
import tempfile
import unittest

from command_line import CommandLine


TESTS = pathlib.Path(__file__).resolve().parent.parent


class Errors(CommandLine):
    def expect(self, said, *words, code=2, **variables):
        call = self.call(*words, **variables)
        self.assertEqual(call.returncode, code, call.stderr)
        self.assertEqual(call.stdout, "")
        self.assertRegex(call.stderr, r"\Atruewatt: [^\n]+\n\Z", "one voice, one line")
        self.assertIn(said, call.stderr)

    def test_a_misspelt_verb_or_a_program_is_told_the_right_one(self):
        self.expect("did you mean `truewatt measure`?", "mesure")
        self.expect("did you mean `truewatt validate convergence`?", "validate", "convergense")
        self.expect("truewatt run ./my_program --fast", "./my_program", "--fast")
        self.expect("truewatt run sh -c true", "sh", "-c", "true")
        self.expect("there are demo, devices,", "blub")

    def test_a_misspelt_device_is_told_the_right_one(self):
        for wrong in ("h100", "H100", "simh100", "sim:H100", "sim-h100"):
            self.expect("sim:h100", "measure", "-d", wrong)
        for wrong in ("sim:foo", "sim:"):
            self.assertNotIn("did you mean", self.call("measure", "-d", wrong).stderr)
        for wrong in ("gpu0", "-1", "sim", ""):
            self.expect("is not an index, a UUID", "measure", "-d", wrong)

    def test_what_cannot_be_written_is_told_before_anything_is_measured(self):
        measure = ["measure", "-d", "sim:h100", "--load", "step:on=1s"]
        self.expect("there is no folder /nonexistent; make it", *measure, "--json",
                    "/nonexistent/x.json", code=1)
        self.expect("there is no folder /nonexistent; make it", *measure, "--out",
                    "/nonexistent/x.db", code=1)
        self.expect("it is a folder; name a file in it", *measure, "--report", str(TESTS), code=1)
        self.expect(f"--done-file {TESTS}: it is a folder; name a file in it", "run", "--done-file",
                    str(TESTS), "-d", "sim:h100", "--", "true", code=125)

    def test_options_of_the_whole_program_stand_before_the_verb(self):
        self.expect("truewatt --config ... measure ...", "measure", "--config", "x.toml")
        self.expect("--config nowhere.toml: there is no such file", "--config", "nowhere.toml",
                    "devices")

    def test_the_demo_plays_on_simulated_gpus(self):
        self.expect("-d 0: the demo plays on a simulated GPU", "demo", "-d", "0")

    def test_windows_beyond_a_run_file_are_told_with_what_it_covers(self):
        with tempfile.TemporaryDirectory() as folder:
            run, windows = f"{folder}/run.db", pathlib.Path(folder, "windows.csv")
            self.call("measure", "-d", "sim:h100", "--load", "step:on=1s", "--out", run)
            windows.write_text("begin,end,label\n0,1,in\n100,200,beyond\n")
            said = self.call("analyze", run, "--windows", str(windows)).stdout
            self.assertRegex(said, r"1 of 2 windows reach beyond the readings, which cover \d")

    def test_misspelt_options_values_and_sources(self):
        self.expect("did you mean --device?", "measure", "--devise", "sim:h100")
        self.expect("did you mean --json?", "run", "--jsno", "-", "--", "true", code=125)
        self.expect("did you mean every?", "measure", "--poll", "evry")
        self.expect("did you mean power.usage?", "validate", "convergence", "-d", "sim:a100",
                    "--source", "power.usge")
        self.expect("did you mean power.instant?", "calibrate", "-d", "sim:rtx3090",
                    "--source", "power.instnt")
        self.expect("-d sim:h100", "measure", "sim:h100")
        self.expect("did you mean 'step'?", "measure", "-d", "sim:h100", "--load", "stp:on=1s")
        self.expect("did you mean 'duration'?", "measure", "-d", "sim:h100", "--load", "square:durtion=1s")
        self.expect("name a load with --load step:on=3s", "measure", "step:on=3s")
        self.expect("name a load with --load burst:count=2", "measure", "brst:count=2")
        self.expect("truewatt run sh", "measure", "sh")
        self.expect("a load is one word", "measure", "--load", "step", "on=3s")
        self.expect("did you mean yang?", "measure", "-d", "sim:h100", "--protocol", "yan")
        self.expect("did you mean `truewatt help`?", "hlp")
        self.expect("--load SPEC --vs-load SPEC; give both", "compare", "-d", "sim:h100", "--load", "step")
        self.expect("--vs-done x: give a number above 0", "compare", "-d", "sim:h100", "--done", "1",
                    "--vs-done", "x", "--", "true", "--vs", "true")
        self.expect("did you mean arafa2020?", "instructions", "--compare", "arafa")
        self.expect("did you mean published?", "instructions", "--compare", "publishd")
        self.expect("did you mean `fma*`?", "instructions", "-d", "sim:h100", "--only", "fma")
        self.expect("--device abc: give the index of a GPU of the log", "analyze", "-d", "abc",
                    str(TESTS / "validate_json.py"))

    def test_a_value_of_a_variable_is_told_with_the_variable(self):
        for said, variable, value in (("TRUEWATT_SEED=x: give a whole number", "SEED", "x"),
                                      ("TRUEWATT_PROFILE=no.json: there is no such file", "PROFILE", "no.json"),
                                      ("TRUEWATT_RESOLVE=5: give a share below 1", "RESOLVE", "5"),
                                      ("; TRUEWATT_DEVICE=sim:h10 names it", "DEVICE", "sim:h10"),
                                      ("; TRUEWATT_DEVICE=gpu0,1 names it", "DEVICE", "gpu0,1"),
                                      ("; TRUEWATT_DEVICE=sim:no.toml names it", "DEVICE", "sim:no.toml")):
            variables = {"TRUEWATT_" + variable: value}
            self.expect(said, "measure", **variables)
            self.expect("unset the variable", "measure", **variables)
        # What the command line says goes before it.
        self.expect("--seed y: give", "measure", "--seed", "y", TRUEWATT_SEED="x")
        self.assertNotIn("TRUEWATT", self.call("measure", "--seed=y", TRUEWATT_SEED="x").stderr)
        self.assertNotIn("TRUEWATT", self.call("measure", "-dgpu0", TRUEWATT_DEVICE="1").stderr)

    def test_what_separates_no_columns_is_refused(self):
        for wrong in ("", ".", "abc", "1", "+", "-", '"', ";1", "e"):
            self.expect("what stands between columns", "measure", "-d", "sim:h100", "-x", wrong)
        for right in (";", "\t", " | "):
            self.expect("no.json", "instructions", "--from", "no.json", "-x", right)
        self.expect("leave them out with loads", "compare", "-d", "sim:h100", "--load", "step",
                    "--vs-load", "step:on=2s", "--done", "5")

    def test_a_document_of_ours_is_not_a_log(self):
        table = str(TESTS.parent / "docs/tables/memory_h100.json")
        self.expect("is a document of the schema truewatt.memory/1", "analyze", table, code=1)
        (self.folder / "empty.json").write_text(
            '{"schema": "truewatt.profile/1", "device": {"index": 0, "name": "", "uuid": "", "pci": "", "driver": ""},'
            ' "created": "", "duration_s": 1, "protocol": null, "recommended_source": null, "sources": []}')
        self.assertIn("describes no source", self.call(
            "measure", "-d", "sim:h100", "--profile", "empty.json").stderr)

    def test_the_option_parsers_own_errors_are_in_our_words(self):
        log = str(TESTS / "validate_json.py")
        for said, *words in (("--json needs a value, FILE", "measure", "--json"),
                             ("--json is given 2 times", "measure", "--json", "a", "--json", "b"),
                             ("--repeat 0: give a whole number from 1", "measure", "--repeat", "0"),
                             ("--target 5: give a share below 1", "measure", "--target", "5"),
                             ("--windows no.csv: there is no such file",
                              "analyze", log, "--windows", "no.csv"),
                             ("--windows .: that is a folder; name a file in it",
                              "analyze", log, "--windows", "."),
                             ("analyze needs PATH", "analyze"), ("report needs RUN.db", "report"),
                             ("--scopes does not go with --no-scopes",
                              "characterize", "--scopes", "--no-scopes"),
                             ("--meter-accuracy also needs --meter;",
                              "validate", "workloads", "--meter-accuracy", "1%"),
                             ("--quiet does not go with --verbose", "measure", "-q", "-v"),
                             ("--config no.toml: there is no such file", "--config", "no.toml", "measure"),
                             ("needs a simulated device", "validate", "convergence")):
            self.expect(said, *words)

    def test_no_text_of_a_library_is_shown(self):
        (self.folder / "bad").write_text("a: 1\n{{{\n")
        (self.folder / "bad.toml").write_text("[power]\n= 1\n")
        for said, *words in (("bad is not JSON, from line 1 on",
                              "measure", "-d", "sim:h100", "--profile", "bad"),
                             ("nvidia-smi --query-gpu=timestamp", "analyze", "bad"),
                             ("bad.toml:2: `= 1` is not TOML", "measure", "-d", "sim:bad.toml")):
            self.expect(said, *words, code=1)


if __name__ == "__main__":
    unittest.main()
