"""`truewatt compare`: loads in turns and run files."""

import json
import unittest

from verb import Verb


class Compare(Verb):
    def compared(self, *arguments):
        call = self.call("compare", "-q", "--json", "result.json", *arguments)
        self.assertEqual(call.returncode, 0, call.stderr)
        self.assert_obeys("comparison", "result.json")
        return json.loads((self.folder / "result.json").read_text())

    def test_loads_in_turns(self):
        result = self.compared("-d", "sim:h100", "--load", "step:on=1s,level=0.5",
                               "--vs-load", "step:on=1s,level=0.6")
        self.assertEqual(result["verdict"], "more")
        self.assertTrue(result["gain_cancels"])
        self.assertNotIn("gain", [term["term"] for term in result["budget"]])
        self.assertLess(result["ratio"]["lower"], result["truth_ratio"])
        self.assertGreater(result["ratio"]["upper"], result["truth_ratio"])
        self.assertEqual(len(result["a"]["runs"]), len(result["b"]["runs"]))

    def test_a_page(self):
        self.compared("-d", "sim:h100", "--load", "step:on=1s,level=0.5",
                      "--vs-load", "step:on=1s,level=0.6", "--report", "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertIn("more energy than A", page)
        self.assertIn("Rounds", page)
        self.assertEqual(self.call("compare", "-q", "-d", "sim:h100", "--load", "step:on=1s",
                                   "--vs-load", "step:on=1s",
                                   "--report", "no/such/folder/page.html").returncode, 1)

    def test_run_files(self):
        for name, level in (("a", 0.5), ("b", 0.5)):
            self.call("measure", "-q", "-d", "sim:h100", "--load", f"step:on=3s,level={level}",
                      "--out", f"{name}.db", "--seed", str(ord(name)))
        result = self.compared("a.db", "b.db")
        self.assertNotIn(result["verdict"], ("less", "more"))
        self.assertIsNone(result["target"])
        self.assertEqual(result["a"]["what"], "a.db")

    def test_says_what_it_takes(self):
        for name in ("no_run.db", "a.db", "b.db"):
            (self.folder / name).write_text("text")
        for arguments, said in (
                ((), "two run files"), (("a.db",), "two run files"),
                (("--load", "fma"), "two loads"), (("-d", "sim:h100", "--", "true"), "--vs"),
                (("sleep", "1", "--vs", "sleep", "2"), "behind --"),
                (("--", "true", "--vs", "true", "--vs", "true"), "a second --vs"),
                (("--target", "2%", "a.db", "b.db"), "--target"),
                (("-d", "sim:h100", "--", "no-such-command", "--vs", "true"), "no-such-command"),
                (("-d", "sim:h100", "--", "--vs", "true"), "--vs"), (("no.db", "no.db"), "no.db"),
                (("--target", "2", "--load", "fma", "--vs-load", "fma"), "--target")):
            call = self.call("compare", *arguments)
            self.assertEqual(call.returncode, 2, (arguments, call.stderr))
            self.assertIn(said, call.stderr)
        call = self.call("compare", "no_run.db", "no_run.db")
        self.assertEqual(call.returncode, 1, call.stderr)

    def test_the_text_is_a_sentence_with_an_interval(self):
        call = self.call("compare", "-d", "sim:h100", "--load", "step:on=1s,level=0.5", "--vs-load",
                         "step:on=1s,level=0.6", "-v")
        self.assertRegex(call.stdout, r"B takes \d+\.\d+ % ± \d+\.\d+ % more energy than A")
        self.assertIn("gain cancels", call.stdout)
        self.assertIn("scatter", call.stdout)


if __name__ == "__main__":
    unittest.main()
