"""Situations from public bug reports and logs (tests/data/field): the energy that is right, or none."""

import json
import math
import pathlib
import random
import re
import unittest

from command_line import CommandLine

FIELD = pathlib.Path(__file__).resolve().parent.parent / "data/field"


class Field(CommandLine):
    def analyzed(self, name, windows=None, code=0):
        """The analysis of a log, by default with the windows that go with it."""
        windows = windows or FIELD / f"{pathlib.Path(name).stem}_windows.csv"
        log = name if isinstance(name, pathlib.Path) else FIELD / name
        call = self.call("analyze", str(log), "--utc-offset", "+00:00", "-q", "--json", "-", *(["--windows", str(windows)] if windows.exists() else []))
        self.assertEqual(call.returncode, code, call.stderr)
        return json.loads(call.stdout)

    def window(self, name, **options):
        [window] = self.analyzed(name, **options)["windows"]
        return window

    def table(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def assert_holds(self, interval, joules):
        self.assertLessEqual(interval["lower"], joules)
        self.assertGreaterEqual(interval["upper"], joules)

    def assert_no_energy(self, window, reason):
        self.assertIsNone(window["energy_j"])
        self.assertIsNone(window["net_energy_j"])
        self.assertFalse(window["resolved"])
        self.assertIn(reason, window["reasons"])


class Logs(Field):
    def test_a_sensor_that_says_zero_for_ever_tells_no_energy(self):
        window = self.window("zero_power.csv", code=4)
        self.assert_no_energy(window, "no_usable_source")
        self.assertFalse(window["valid"])

    def test_readings_that_no_board_draws_are_left_out(self):
        window = self.window("glitch_kilowatt.csv")
        # 0.3 of 20 s were not read well: half of what 78 W are in them.
        self.assertAlmostEqual(window["energy_j"]["value"], 1560, delta=0.5 * 0.3 * 78)
        self.assert_holds(window["on_sensor_scale_j"], 1560)
        self.assertGreater(window["net_energy_j"]["lower"], 0)

    def test_a_reading_a_second_is_a_snapshot(self):
        window = self.window("one_hertz_a100.csv")
        self.assert_holds(window["energy_j"], 1000)
        self.assert_holds(window["on_sensor_scale_j"], 1000)
        # A second at either end is open, of five: nobody is told more.
        self.assertFalse(window["resolved"])
        self.assertLess(window["energy_j"]["upper"] - window["energy_j"]["lower"], 2 * 0.2 * 1000)

    def test_a_window_across_a_gap_of_most_of_it_has_no_energy(self):
        for windows in (None, self.folder / "none"):
            with self.subTest(windows=windows):
                window = self.window("gap_50min.csv", windows=windows, code=4)
                self.assert_no_energy(window, "gap_in_readings")
                self.assertFalse(window["valid"])

    def test_a_reading_at_the_edge_does_not_spoil_the_baseline(self):
        earlier = self.table("earlier.csv", "begin_s,end_s\n11.9,31.9\n")
        for windows in (None, earlier):
            with self.subTest(windows=windows):
                analysis = self.analyzed("baseline.csv", windows=windows)
                [window] = analysis["windows"]
                self.assertAlmostEqual(analysis["combined"]["baseline_w"], 55, delta=0.5)
                # A reading every 0.1 s, and 255 W more at either edge.
                self.assertAlmostEqual(window["net_energy_j"]["value"], 5100, delta=2 * 0.1 * 255)
                self.assert_holds(window["net_energy_j"], 5100)
                self.assert_holds(window["on_sensor_scale_j"], 6200)

    def test_windows_may_lie_in_each_other(self):
        epoch, *batches = self.analyzed("baseline.csv", windows=FIELD / "nested_windows.csv")["windows"]
        self.assertEqual([epoch["label"], *(b["label"] for b in batches)], ["epoch", "batch 0", "batch 1"])
        # Idle until 12 s.
        for window, joules in ((epoch, 2 * 55 + 18 * 310), (batches[0], 2 * 55 + 8 * 310), (batches[1], 10 * 310)):
            self.assert_holds(window["on_sensor_scale_j"], joules)
        parts = sum(b["energy_j"]["value"] for b in batches)
        self.assertAlmostEqual(epoch["energy_j"]["value"], parts, delta=1e-6 * parts)

    def test_of_nested_windows_the_outer_one_is_the_total(self):
        analysis = self.analyzed("baseline.csv", windows=FIELD / "nested_windows.csv")
        total = analysis["combined"]["energy_j"]["value"]
        self.assertAlmostEqual(total, analysis["windows"][0]["energy_j"]["value"], delta=1e-6 * total)

    def test_a_gpu_that_sleeps_beside_the_window_is_no_gap_in_it(self):
        window = self.window("asleep.csv")
        self.assert_holds(window["on_sensor_scale_j"], 1500)
        self.assertTrue(window["valid"])
        self.assertNotIn("gap_in_readings", window["reasons"])

    def test_a_log_without_windows_has_an_energy(self):
        window = self.window("whole_log.csv")
        self.assertAlmostEqual(window["energy_j"]["value"], 2565, delta=0.005 * 2565)
        self.assert_holds(window["on_sensor_scale_j"], 2565)


class Words(Field):
    def test_a_sensor_that_never_changes_is_named_and_letters_are_explained(self):
        rows = "".join(f"2025/03/04 09:30:{i // 10:02}.{i % 10}00, 46.19 W\n" for i in range(300))
        log = self.table("stuck.csv", "timestamp, power.draw [W]\n" + rows)
        text = " ".join(self.call("analyze", str(log)).stdout.split())
        self.assertIn("power.usage shows 46.19 W from first to last, 30 s: the sensor is stuck, or the GPU did nothing", text)
        self.assertIn("imprecise a ", text)
        self.assertIn("a: ± holds only if work and sensor are not in step", text)
        verbose = self.call("analyze", "-v", str(log)).stdout
        self.assertIn("1 different reading\n", verbose)
        self.assertIn("1 window,", verbose)

    def stuck(self, watts, columns):
        """60 W, and 350 W from 12 to 37 s: rows of 0.2 s of a sensor that shows `watts(t)`, and of `columns` of the rest."""
        headers = {"utilization": "utilization.gpu [%]", "counter": "total_energy_consumption [mJ]"}
        rows = ["timestamp, power.draw [W], " + ", ".join(headers[column] for column in columns)]
        for k in range(300):
            t = 0.2 * k
            joules = 1e5 + 60 * t + 290 * min(max(t - 12, 0), 25)
            cells = {"utilization": f"{97 if 12 <= t < 37 else 0} %", "counter": f"{1000 * joules:.0f} mJ"}
            rows.append(f"2025/03/04 09:30:{t:06.3f}, {watts(t):.2f} W, " + ", ".join(cells[column] for column in columns))
        return self.table("stuck.csv", "\n".join([*rows, ""])), self.table("windows.csv", "begin_s,end_s\n12,37\n45,55\n")

    def test_a_sensor_that_shows_one_value_through_idle_and_work_is_not_used(self):
        for columns in (["utilization"], ["counter"], ["utilization", "counter"]):
            with self.subTest(columns=columns):
                log, windows = self.stuck(lambda t: 60.12, columns)
                knows = "counter" in columns
                analysis = self.analyzed(log, windows=windows, code=0 if knows else 4)
                self.assertTrue(any("power.usage shows one value through idle and work" in note for note in analysis["notes"]))
                for window, joules in zip(analysis["windows"], (8750, 600)):
                    if knows:
                        self.assert_holds(window["on_sensor_scale_j"], joules)
                        self.assertEqual(window["sources"], ["energy.counter"])
                    else:
                        self.assert_no_energy(window, "frozen_readings")

    def test_a_sensor_that_freezes_is_not_read_from_then_on(self):
        log, windows = self.stuck(lambda t: (60 if t < 12 else 350) + 0.3 * math.sin(37 * t) if t < 15 else 350.2, ["utilization"])
        analysis = self.analyzed(log, windows=windows, code=4)
        self.assert_no_energy(analysis["windows"][0], "gap_in_readings")
        self.assert_no_energy(analysis["windows"][1], "no_readings_in_window")

    def test_an_analysis_lists_the_terms_of_its_uncertainty(self):
        combined = self.analyzed("baseline.csv")["combined"]
        u = math.sqrt(sum(term["standard_uncertainty_j"] ** 2 for term in combined["budget"]))
        energy = combined["energy_j"]
        self.assertAlmostEqual(1.96 * u, (energy["upper"] - energy["lower"]) / 2, delta=0.001 * u)
        text = self.call("analyze", "-v", str(FIELD / "baseline.csv"), "--windows", str(FIELD / "baseline_windows.csv")).stdout
        rows = text[text.index("standard uncertainty from"):].split("\n\n")[0].splitlines()[1:]
        self.assertEqual(len(rows), len(combined["budget"]))
        for row, term in zip(rows, combined["budget"]):
            joules = float(row.split(" J")[0].split()[-1])
            self.assertAlmostEqual(joules, term["standard_uncertainty_j"], delta=0.01 * joules)


class SeveralGpus(Field):
    JOB = {0: 16000, 1: 12000, 2: 8000, 3: 2000}

    def test_gpus_of_one_name_are_told_apart_and_summed(self):
        analysis = self.analyzed("gpus_by_name.csv")
        self.assertEqual([d["index"] for d in analysis["devices"]], [0, 1, 2, 3])
        for window in analysis["windows"]:
            # A reading a second: half of one is open at either end of the job.
            joules = self.JOB[window["device"]]
            self.assertAlmostEqual(window["energy_j"]["value"], joules, delta=0.02 * joules)
            self.assert_holds(window["on_sensor_scale_j"], joules)
        [total] = analysis["totals"]
        self.assertAlmostEqual(total["energy_j"]["value"], sum(w["energy_j"]["value"] for w in analysis["windows"]), places=6)
        self.assert_holds(total["on_sensor_scale_j"], sum(self.JOB.values()))
        self.assertIsNone(analysis["combined"])
        self.assertIn("by the order of their rows", " ".join(analysis["notes"]))

    def test_text_has_each_and_their_total(self):
        call = self.call("analyze", str(FIELD / "gpus_by_name.csv"), "--windows", str(FIELD / "gpus_by_name_windows.csv"))
        for name in ("GPU 0 job", "GPU 3 job", "total job"):
            self.assertIn(name, call.stdout)

    def test_one_may_be_chosen(self):
        call = self.call("analyze", str(FIELD / "gpus_by_name.csv"), "--device", "2", "-q", "--json", "-")
        [device] = json.loads(call.stdout)["devices"]
        self.assertEqual(device["index"], 2)

    def queries(self, gpus, columns, row, count=120):
        """Idle at 50 W and from 4 to 8 s at 100 W a place from 1, every 0.1 s."""
        rows = [columns]
        for i in range(count):
            watts = [100 * (gpu + 1) if 40 <= i < 80 else 50 for gpu in range(gpus)]
            rows += [row(i, gpu, w + 0.2 * math.sin(3 * i + gpu)) for gpu, w in enumerate(watts)]
        return rows

    def test_eight_in_other_columns_and_orders(self):
        stamp = lambda i, gpu: f"2025/03/04 09:30:{i // 10:02}.{i % 10 * 100 + gpu:03}"
        shapes = {
            "unnamed.csv": ("power.draw [W], timestamp", lambda i, gpu, w: f"{w:.2f} W, {stamp(i, gpu)}"),
            "index.csv": ("index,timestamp,temperature.gpu,power.draw [W]", lambda i, gpu, w: f"{gpu}, {stamp(i, gpu)}, 40, {w:.2f} W"),
            "tabs.csv": ("uuid\ttimestamp\tpower.draw [mW]", lambda i, gpu, w: f"GPU-{gpu}\t{stamp(i, gpu)}\t{1000 * w:.0f}"),
        }
        windows = self.table("w.csv", "begin_s,end_s\n3,9\n")
        for name, (columns, row) in shapes.items():
            for end in ("\n", "\r\n"):
                with self.subTest(log=name, end=end):
                    log = self.folder / name
                    log.write_bytes(end.join(self.queries(8, columns, row)).encode())
                    analysis = self.analyzed(log, windows=windows)
                    self.assertEqual(len(analysis["windows"]), 8)
                    for window in analysis["windows"]:
                        # 2 s at 50 W, 4 s at work; half a poll is open at either edge of it.
                        watts = 100 * (window["device"] + 1)
                        self.assertAlmostEqual(window["energy_j"]["value"], 100 + 4 * watts, delta=0.1 * (watts - 50) + 2)


    def rounds(self, every, after, cells, title):
        """A row a GPU and round, `after` s behind the round's begin: 60 W, and from 15 to 45 s 320, 200 and 62 W."""
        rows = [f"timestamp, {title}, power.draw [W]"]
        for i in range(int(60 / every)):
            for gpu, behind in enumerate(after):
                t = i * every + behind + 0.001 * (i % 3)
                watts = (320, 200, 62)[gpu] if 15 <= t < 45 else 60
                watts += 0.3 * math.sin(37 * math.floor(10 * t) + 11 * gpu)
                rows.append(f"2025/03/04 09:30:{t:06.3f}, {cells(gpu)}, {watts:.2f} W")
        return self.table("rounds.csv", "\n".join([*rows, ""]))

    def test_gpus_of_several_hosts_are_told_apart_and_summed(self):
        windows = self.table("w.csv", "begin_s,end_s,label\n15,45,job\n")
        for behind in (0.004, 0.21):
            log = self.rounds(0.5, (0, 0.003, behind), lambda gpu: f"n{gpu // 2}, {gpu % 2}", "hostname, index")
            analysis = self.analyzed(log, windows=windows)
            self.assertEqual([(d["host"], d["index"]) for d in analysis["devices"]], [("n0", 0), ("n0", 1), ("n1", 2)])
            for window, watts in zip(analysis["windows"], (320, 200, 62), strict=True):
                self.assertAlmostEqual(window["energy_j"]["value"], 30 * watts, delta=0.5 * (watts - 60) + 15)
            self.assert_holds(analysis["totals"][0]["on_sensor_scale_j"], 30 * (320 + 200 + 62))
            self.assertIn("GPU 2 (n1) job", self.call("analyze", str(log), "--windows", str(windows)).stdout)

    def test_gpus_of_one_name_or_index_are_never_one(self):
        windows = self.table("w.csv", "begin_s,end_s,label\n15,45,job\n")
        log = self.rounds(0.1, (0, 0.02, 0.04), lambda gpu: "NVIDIA A100", "name")
        for window, watts in zip(self.analyzed(log, windows=windows)["windows"], (320, 200, 62), strict=True):
            self.assertAlmostEqual(window["energy_j"]["value"], 30 * watts, delta=0.01 * 30 * watts)
        for every, after, title in ((0.1, (0, 0.03, 0.06), "name"), (0.02, (0, 0.004, 0.008), "name"), (0.5, (0, 0.003), "index"), (0.5, (0, 0), "index"), (0.5, (0, 0.21), "index")):
            with self.subTest(after=after, title=title):
                log = self.rounds(every, after, lambda gpu: "0" if title == "index" else "NVIDIA A100", title)
                call = self.call("analyze", str(log), "--windows", str(windows))
                self.assertEqual(call.returncode, 1)
                self.assertIn("uuid", call.stderr)


class Clocks(Field):
    def local(self, *options):
        return self.call("analyze", str(FIELD / "local_time.csv"), "--windows", str(FIELD / "local_time_windows.csv"), "-q", "--json", "-", *options)

    def test_two_offsets_that_fit_work_are_no_number(self):
        call = self.local()
        self.assertNotEqual(call.returncode, 0)
        self.assertEqual(call.stdout, "")
        self.assertIn("--utc-offset", call.stderr)
        self.assertIn("+00:00, +01:00, +02:00", call.stderr)

    def test_the_offset_that_is_given_is_used_and_said(self):
        for offset in ("+01:00", "+0100", "1"):
            analysis = json.loads(self.local("--utc-offset", offset).stdout)
            self.assertEqual((analysis["utc_offset"], analysis["utc_offset_from"]), ("+01:00", "option"))
        [window] = analysis["windows"]
        self.assert_holds(window["on_sensor_scale_j"], 216000)

    def test_an_offset_that_is_found_is_printed(self):
        windows = self.table("w.csv", "begin_s,end_s\n1741077010,1741077030\n")  # 08:30:10 UTC
        call = self.call("analyze", str(FIELD / "baseline.csv"), "--windows", str(windows), "--json", str(self.folder / "a.json"))
        self.assertIn("UTC+01:00", call.stdout)
        analysis = json.loads((self.folder / "a.json").read_text())
        self.assertEqual((analysis["utc_offset"], analysis["utc_offset_from"]), ("+01:00", "windows"))

    def test_an_hour_of_daylight_saving_is_no_energy(self):
        for last, later in (("2025/10/26 02:59:{:06.3f}", "2025/10/26 02:00:{:06.3f}"), ("2025/03/30 01:59:{:06.3f}", "2025/03/30 03:00:{:06.3f}")):
            rows = ["timestamp, power.draw [W]"]
            rows += [f"{last.format(50 + 0.1 * i)}, {50 + 0.1 * (i % 3):.2f} W" for i in range(100)]
            rows += [f"{later.format(0.1 * i)}, {50 + 0.1 * (i % 3):.2f} W" for i in range(100)]
            window = self.window(self.table("saving.csv", "\n".join([*rows, ""])), windows=self.folder / "none")
            self.assertAlmostEqual(window["energy_j"]["value"], 19.9 * 50.1, delta=2)
            self.assertTrue(window["valid"])


class Formats(Field):
    def formats_window(self, name, device=0):
        analysis = self.analyzed(name, windows=FIELD / "formats_windows.csv")
        self.assertEqual(analysis["bad_rows"], 0)
        return analysis["windows"][device]

    def test_tables_of_any_kind_are_the_same_log(self):
        for name in ("quoted.csv", "odd_name.csv", "semicolon.csv", "iso_offset.csv", "wide_epoch.csv"):
            with self.subTest(log=name):
                window = self.formats_window(name)
                # A reading every 0.2 s, and 255 W more at either edge.
                self.assertAlmostEqual(window["energy_j"]["value"], 6200, delta=0.2 * 255 + 0.005 * 6200)
                self.assert_holds(window["on_sensor_scale_j"], 6200)
        self.assert_holds(self.formats_window("wide_epoch.csv", device=1)["on_sensor_scale_j"], 3100)

    def test_what_nvidia_smi_writes_once_a_second_is_read(self):
        for name in ("dmon.txt", "nvidia_smi_q.txt"):
            with self.subTest(log=name):
                self.assert_holds(self.formats_window(name)["on_sensor_scale_j"], 6200)

    def test_the_offset_in_a_stamp_needs_no_option(self):
        windows = self.table("w.csv", "begin_s,end_s\n1741077010,1741077030\n")  # 08:30:10 UTC
        analysis = self.analyzed("iso_offset.csv", windows=windows)
        self.assertEqual((analysis["utc_offset"], analysis["utc_offset_from"]), ("+01:00", "stamps"))
        self.assert_holds(analysis["windows"][0]["on_sensor_scale_j"], 6200)

    def test_epochs_and_nanoseconds_are_the_same_times(self):
        source = [line.split(", ") for line in (FIELD / "iso_offset.csv").read_text().splitlines()[1:]]
        first = 1741077000  # 09:30 at UTC+1
        stamps = {"s": lambda i: f"{first + 0.2 * i:.3f}", "ms": lambda i: f"{1000 * first + 200 * i}",
                  "ns": lambda i: f"2025-03-04T09:30:{i // 5:02},{i % 5 * 2}00000000+01:00"}
        windows = self.table("w.csv", "begin_s,end_s\n1741077010,1741077030\n")
        for name, stamp in stamps.items():
            with self.subTest(stamps=name):
                log = "\n".join(["time,power_w", *(f"{stamp(i)},{watts}" for i, (_, watts) in enumerate(source))])
                [window] = self.analyzed(self.table("log.csv", log), windows=windows)["windows"]
                self.assert_holds(window["on_sensor_scale_j"], 6200)

    def test_prometheus_repeats_its_last_scrape(self):
        """300 W for 600 s on 55 W, collected at another phase each time: as old as the collections are apart."""
        windows = self.table("w.csv", "begin_s,end_s\n1741081200,1741081800\n")
        for collected, step in ((15, 15), (30, 15), (30, 1)):
            for phase in (0.1, 0.5, 0.9):
                values = []
                for t in range(0, 1800, step):
                    at = (t // collected - (t % collected < phase * collected) + phase) * collected
                    watts = (300 if 600 <= at < 1200 else 55) + 0.5 * math.sin(at)
                    values.append([1741080600 + t, f"{watts:.3f}"])
                series = {"metric": {"__name__": "DCGM_FI_DEV_POWER_USAGE", "gpu": "0"}, "values": values}
                answer = {"status": "success", "data": {"resultType": "matrix", "result": [series]}}
                with self.subTest(collected=collected, step=step, phase=phase):
                    [window] = self.analyzed(self.table("answer.json", json.dumps(answer)), windows=windows)["windows"]
                    self.assert_holds(window["on_sensor_scale_j"], 180000)
                    # A collection at either edge.
                    self.assertAlmostEqual(window["energy_j"]["value"], 180000, delta=2 * collected * 245)

    def test_three_values_without_noise_are_no_less_than_rest(self):
        """300 W from 10 to 30 s on 55 W, to the milliwatt: nothing tells how often it was scraped."""
        values = [[1741080600 + t, "300.000" if 11 <= t <= 30 else "55.000"] for t in range(40)]
        series = {"metric": {"__name__": "DCGM_FI_DEV_POWER_USAGE", "gpu": "0"}, "values": values}
        answer = {"status": "success", "data": {"resultType": "matrix", "result": [series]}}
        windows = self.table("w.csv", "begin_s,end_s\n10,30\n5,12\n")
        for window, joules in zip(self.analyzed(self.table("answer.json", json.dumps(answer)), windows=windows)["windows"],
                                  (6000, 875)):
            self.assert_holds(window["on_sensor_scale_j"], joules)
            self.assertGreater(window["on_sensor_scale_j"]["lower"], 54.9 * (window["end_s"] - window["begin_s"]))

    def test_what_was_scraped_is_older_than_its_stamp_whatever_is_known_of_the_gpu(self):
        """Means over a second, scraped every second and up to 0.95 s old: 60 W, and 300 W for 60 s."""
        def joules(t):
            return 60 * t + 240 * min(max(t - 10.3, 0), 60)

        windows = self.table("w.csv", "begin_s,end_s\n1741080610.3,1741080670.3\n")
        for model in ("NVIDIA H100 80GB HBM3", None):
            for age in (0.05, 0.5, 0.95):
                metric = {"__name__": "DCGM_FI_DEV_POWER_USAGE", "gpu": "0"} | ({"modelName": model} if model else {})
                values = [[1741080600 + t, f"{joules(t - age) - joules(t - age - 1) + 0.3 * math.sin(37 * t):.3f}"]
                          for t in range(2, 90)]
                answer = {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": metric, "values": values}]}}
                with self.subTest(model=model, age=age):
                    [window] = self.analyzed(self.table("answer.json", json.dumps(answer)), windows=windows)["windows"]
                    self.assert_holds(window["on_sensor_scale_j"], 60 * 300)

    def test_series_of_one_gpu_that_follow_each_other_are_joined(self):
        """As where its pod changes: 70 W, and 600 W from 300 to 500 s."""
        def series(begin, end, uuid="GPU-1", **labels):
            metric = {"__name__": "DCGM_FI_DEV_POWER_USAGE", "gpu": "0", "Hostname": "n1", "UUID": uuid, **labels}
            values = [[1741080600 + t, f"{(600 if 300 <= t < 500 else 70) + 0.5 * math.sin(t):.3f}"]
                      for t in range(begin, end, 5)]
            return {"metric": metric, "values": values}

        windows = self.table("w.csv", "begin_s,end_s\n1741080650,1741081250\n")
        for parts, note in (([series(0, 300), series(300, 700, pod="train")], "1 more series"),
                            ([series(0, 700), series(300, 500, pod="train")], "1 series that repeat")):
            answer = {"status": "success", "data": {"resultType": "matrix", "result": parts}}
            analysis = self.analyzed(self.table("answer.json", json.dumps(answer)), windows=windows)
            self.assert_holds(analysis["windows"][0]["on_sensor_scale_j"], 600 * 70 + 200 * 530)
            self.assertTrue(any(note in one for one in analysis["notes"]), analysis["notes"])

        # Without a UUID two series may be of two GPUs.
        answer = {"status": "success", "data": {"resultType": "matrix", "result": [series(0, 300, ""), series(300, 700, "")]}}
        analysis = self.analyzed(self.table("answer.json", json.dumps(answer)), windows=windows, code=4)
        self.assertIsNone(analysis["windows"][0]["energy_j"])

    def test_what_holds_no_readings_is_named(self):
        for text, what in (("start_time,window_name,elapsed_time,gpu0_energy\n1,epoch,2,3\n", "ZeusMonitor"),
                           ("#Entity   POWER\nID        W\nGPU 0     70.1\n", "dcgmi dmon"),
                           ("a,b\n1,2\n", "not a log of power readings")):
            call = self.call("analyze", str(self.table("other", text)))
            self.assertNotEqual(call.returncode, 0)
            self.assertIn(what, call.stderr)
            self.assertIn("nvidia-smi --query-gpu=timestamp", call.stderr)

    def test_an_answer_without_a_value_is_told_once(self):
        analysis = self.analyzed("asleep.csv")
        self.assertEqual(analysis["bad_rows"], 0)
        self.assertEqual(len([n for n in analysis["notes"] if "asleep?" in n]), 1)


class Counters(Field):
    def measured(self, board):
        call = self.call("measure", "-d", f"sim:{FIELD / board}", "--load", "step:on=3s", "--blind", "-q", "--json", "-")
        self.assertIn(call.returncode, (0, 4), call.stderr)
        return json.loads(call.stdout)["devices"][0]

    def test_one_that_counts_a_third_more_than_the_power_is_not_believed(self):
        device = self.measured("counter_above_power.toml")
        self.assert_no_energy(device, "sources_disagree")

    def test_one_alone_tells_the_energy(self):
        device = self.measured("counter_only.toml")
        self.assert_holds(device["energy_j"], device["truth_j"])
        self.assertAlmostEqual(device["energy_j"]["value"], device["truth_j"], delta=0.015 * device["truth_j"])
        self.assert_holds(device["net_energy_j"], device["truth_j"] - 3 * 60)

    def leaping(self, joules):
        """A log of 60 W, and of 250 W from 4 to 7 s; the counter leaps once, at 5.5 s. A reading every 0.1 s."""
        rows = []
        for i in range(111):
            t = 0.1 * i + 1e-9
            watts = (250 if 4 <= t < 7 else 60) + 0.3 * math.sin(37 * t)
            counted = 60 * t + 190 * min(max(t - 4, 0), 3) + (joules if t > 5.5 else 0)
            ns = round(1.795e18) + round(1e9 * t)
            rows += [f"instant_mW,{ns},{round(1000 * watts)}", f"energy_mJ,{ns + 10000},{round(1000 * counted)}"]
        return self.table("leaping.csv", "\n".join(["source,t_ns,value", *rows, ""]))

    def counted(self, power_at, seconds, every, cut=False, phase=0.0):
        """A log of a counter that ticks every 0.1 s, and what is true from its first row to any time."""
        until = [0.0]
        for i in range(round(1000 * seconds)):
            until.append(until[-1] + 0.001 * power_at(0.001 * i))
        rows = ["timestamp, index, total_energy_consumption [mJ]"]
        for k in range(int(seconds / every)):
            ms = round(1000 * (k * every))
            shown = ms + round(1000 * phase)
            stamp = f"2025/03/04 09:{30 + shown // 60000:02}:{shown // 1000 % 60:02}" + ("" if cut else f".{shown % 1000:03}")
            rows.append(f"{stamp}, 0, {1000 * until[ms // 100 * 100]:.0f} mJ")
        return self.table("counted.csv", "\n".join([*rows, ""])), until

    def test_work_that_rises_in_steps_is_not_taken_for_a_slow_counter(self):
        # 16 levels of 2 s: rows of a second see steps of a sixteenth of the range.
        log, until = self.counted(lambda t: 55 + 12 * max(0, min(15, int((t - 10) / 2))) if t < 50 else 55, 70, 1.0)
        windows = self.table("windows.csv", "begin_s,end_s\n18,26\n30,38\n")
        for window in self.analyzed(log, windows=windows)["windows"]:
            begin, end = (round(1000 * window[key]) for key in ("begin_s", "end_s"))
            self.assert_holds(window["on_sensor_scale_j"], until[end] - until[begin])

    def test_stamps_of_whole_seconds_are_cut_off(self):
        # Rows 0.6 s behind the second that they name; the windows are of another clock.
        log, until = self.counted(lambda t: 400 if 20 <= t < 50 else 50, 80, 1.0, cut=True, phase=0.6)
        windows = self.table("windows.csv", "begin,end\n2025-03-04T09:30:28.3Z,2025-03-04T09:31:05.2Z\n")
        window = self.window(log, windows=windows)
        self.assert_holds(window["on_sensor_scale_j"], until[64600] - until[27700])

    def test_rows_that_move_slowly_past_the_ticks_err_alike(self):
        log, until = self.counted(lambda t: 400 if 5 <= t < 40 else 50, 60, 0.101)
        text = "".join(f"{9 + k},{13 + 1.7 * k:.1f}\n" for k in range(12))
        for window in self.analyzed(log, windows=self.table("windows.csv", "begin_s,end_s\n" + text))["windows"]:
            begin, end = (round(1000 * window[key]) for key in ("begin_s", "end_s"))
            self.assert_holds(window["on_sensor_scale_j"], until[end] - until[begin])

    def beside_power(self, shows, every, power=True, lost=lambda t: False):
        """Rows of 70 W, and of 310 W from 12 to 32 s, beside a counter that ticks every 0.1 s and shows `shows(joules, t)`."""
        joules = lambda t: 70 * t + 240 * min(max(t - 12, 0), 20)
        rows = ["timestamp,energy_mj" + (",power_w" if power else "")]
        for k in range(int(60 / every)):
            t = 1.006 * every * k
            if lost(t):
                continue
            tick = math.floor(10 * t) / 10
            watts = (310 if 12 <= t < 32 else 70) + 0.3 * math.sin(37 * t)
            rows.append(f"2025-03-04T09:30:{t:06.3f},{1000 * shows(joules(tick), tick):.0f}" + f",{watts:.2f}" * power)
        log = self.table("beside_power.csv", "\n".join([*rows, ""]))
        return self.window(log, windows=self.table("windows.csv", "begin_s,end_s\n10,40\n"))

    def test_a_count_that_stands_still_under_load_counts_on_from_there(self):
        # 4 s of 310 W that are in no count.
        def stands(joules, t):
            return joules + 1e6 - 310 * min(max(t - 20, 0), 4)

        window = self.beside_power(stands, 0.1)
        self.assert_holds(window["on_sensor_scale_j"], 6900)
        self.assertAlmostEqual(window["energy_j"]["value"], 6900, delta=0.01 * 6900)
        alone = self.beside_power(stands, 0.1, power=False)
        self.assert_holds(alone["on_sensor_scale_j"], 6900)
        self.assertIn("gap_in_readings", alone["reasons"])
        self.assertFalse(alone["resolved"])

    def test_a_leap_that_the_power_beside_it_does_not_show_is_in_the_interval(self):
        for leap in (300, 1500, 5000):
            with self.subTest(leap=leap):
                window = self.beside_power(lambda joules, t, leap=leap: joules + 1e6 + (leap if t > 25 else 0), 1.0)
                self.assert_holds(window["on_sensor_scale_j"], 6900)
                self.assertEqual("sources_disagree" in window["reasons"], leap < 5000)

    def test_a_leap_of_a_counter_alone_is_a_hole_of_its_tick(self):
        log, until = self.counted(lambda t: 350 if 12 <= t < 37 else 60, 60, 0.2)
        header, *rows = log.read_text().splitlines()
        for i in range(125, len(rows)):
            *stamp, joules = rows[i].split(", ")
            rows[i] = ", ".join([*stamp, f"{int(joules.split()[0]) + 10**9} mJ"])
        log.write_text("\n".join([header, *rows, ""]))
        windows = self.table("windows.csv", "begin_s,end_s\n12,37\n42,55\n")
        touched, away = self.analyzed(log, windows=windows)["windows"]
        self.assert_holds(touched["on_sensor_scale_j"], until[37000] - until[12000])
        self.assertIn("above_power_limit", touched["reasons"])
        self.assert_holds(away["on_sensor_scale_j"], until[55000] - until[42000])
        self.assertNotIn("above_power_limit", away["reasons"])

    def test_a_counter_that_counts_double_for_a_while_is_not_resolved(self):
        double = self.beside_power(lambda joules, t: joules + 1e6 + 310 * min(max(t - 18, 0), 8), 0.1)
        self.assertFalse(double["resolved"])
        self.assertIn("phase_lock_not_excluded", double["reasons"])
        self.assertTrue(self.beside_power(lambda joules, t: joules + 1e6, 0.1)["resolved"])

    def test_a_few_counts_that_stand_are_seen_beside_others(self):
        for rows in (2, 6):
            window = self.beside_power(lambda joules, t, rows=rows: joules + 1e6 - 310 * min(max(t - 20, 0), rows), 1.0)
            self.assert_holds(window["on_sensor_scale_j"], 6900)

    def test_a_hole_in_which_the_gpu_worked_is_the_counters_to_tell(self):
        window = self.beside_power(lambda joules, t: joules + 1e6, 1.0, lost=lambda t: 10.5 < t < 17)
        self.assert_holds(window["on_sensor_scale_j"], 6900)
        self.assertLess(window["on_sensor_scale_j"]["upper"] - window["on_sensor_scale_j"]["lower"], 700)

    def test_a_count_near_zero_behind_a_hole_may_have_begun_anew(self):
        # Read from 0 to 4 s, and from 16 s on; set to zero at 13 s.
        for reset in (1150, 0):
            window = self.beside_power(lambda joules, t, reset=reset: joules - (reset if t > 13 else 0), 1.0,
                                       lost=lambda t: 4.5 < t < 16)
            self.assert_holds(window["on_sensor_scale_j"], 6900)

    def test_a_leap_beyond_what_boards_draw_is_no_energy(self):
        windows = self.table("windows.csv", "begin_s,end_s\n3.0,8.0\n")
        for joules in (0, 2_000_000):
            with self.subTest(joules=joules):
                window = self.window(self.leaping(joules), windows=windows)
                # What a reading of 0.1 s leaves open at the two edges of the load, at most.
                self.assertAlmostEqual(window["energy_j"]["value"], 870, delta=0.1 * 190)
                self.assert_holds(window["on_sensor_scale_j"], 870)


class OtherLogs(Field):
    """Logs of the same kinds, made here: idle at 50 W, 320 W from 10 to 30 s, so 6400 J in these."""

    def log(self, rows, header="timestamp, index, power.draw [W]"):
        return self.table("log.csv", header + "\n" + "".join(rows))

    def rows(self, end=40.0, every=0.2, pause=lambda t: 0.0, watts=None):
        for i in range(int(end / every) + 1):
            t = i * every
            power = watts(t) if watts else (320 if 10 <= t < 30 else 50) + 0.5 * math.sin(7.1 * i)
            yield t, f"{self.stamp(t + pause(t))}, 0, {power:.2f} W\n"

    @staticmethod
    def stamp(t):
        day, second = divmod(43200.0 + t, 86400)
        return (f"2025/06/{12 + int(day):02d} {int(second // 3600):02d}:"
                f"{int(second % 3600 // 60):02d}:{second % 60:06.3f}")

    def job(self, log, begin=10, end=30, *more):
        windows = self.table("job.csv", f"begin_s,end_s,label\n{begin},{end},job\n")
        call = self.call("analyze", str(log), "-q", "--json", "-", "--windows", str(windows), *more)
        return call, json.loads(call.stdout)["windows"] if call.stdout else []

    def windows_of(self, log, windows):
        """By name what `analyze` says of windows of (begin, end)."""
        table = self.table("windows.csv", "begin_s,end_s,label\n" + "".join(
            f"{begin},{end},{name}\n" for name, (begin, end) in windows.items()))
        call = self.call("analyze", str(log), "--windows", str(table), "-q", "--json", "-")
        return {window["label"]: window for window in json.loads(call.stdout)["windows"]}

    def test_the_drivers_counter_beside_power_tells_what_polls_a_second_apart_do_not(self):
        # Bursts of 1.3 s of every 4.1 s, a counter that ticks every 0.1 s.
        def joules(t):
            whole, rest = divmod(t, 4.1)
            return 60 * t + 240 * (1.3 * whole + min(rest, 1.3))

        rows = []
        for i in range(240):
            t = i * 1.0007
            tick = math.floor((t + 0.03) / 0.1) * 0.1 - 0.03
            power = 300 if tick % 4.1 < 1.3 else 60
            rows.append((t, power + 0.4 * math.sin(7.1 * i), 1e9 + 1000 * joules(max(tick, 0))))
        widths = {}
        for title, with_counter in (("time,power_w", False), ("time,power_w,energy_mj", True)):
            log = self.table("log.csv", title + "\n" + "".join(
                f"{t:.3f},{p:.2f}" + (f",{e:.0f}" if with_counter else "") + "\n"
                for t, p, e in rows))
            call, [window] = self.job(log, 20.5, 200.25)
            found = window["on_sensor_scale_j"]
            truth = joules(200.25) - joules(20.5)
            self.assertLessEqual(found["lower"], truth)
            self.assertLessEqual(truth, found["upper"])
            widths[with_counter] = (found["upper"] - found["lower"]) / 2 / truth
            self.assertEqual(window["resolved"], with_counter)
        self.assertLess(widths[True], 0.01)
        self.assertLess(5 * widths[True], widths[False])

    def test_a_log_of_two_levels_without_noise_has_no_period_of_its_work(self):
        log = self.table("log.csv", "time,power_w\n" + "".join(
            f"{i / 10:.1f},{300 if i // 50 % 2 else 100}\n" for i in range(601)))
        call = self.call("analyze", str(log), "-q", "--json", "-")
        [window] = json.loads(call.stdout)["windows"]
        found = window["on_sensor_scale_j"]
        self.assert_holds(found, 12000)
        self.assertLess(found["upper"] - found["lower"], 0.04 * 12000)

    def test_times_in_other_units_are_read_by_their_title(self):
        energies = []
        for unit, scale in (("time_s", 1), ("time_ms", 1e3), ("elapsed_us", 1e6)):
            log = self.table("log.csv", f"{unit},power_w\n" + "".join(
                f"{round(0.1 * i * scale, 3):g},{100 + i % 7}\n" for i in range(300)))
            call = self.call("analyze", str(log), "-q", "--json", "-")
            energies.append(json.loads(call.stdout)["windows"][0]["energy_j"]["value"])
        self.assertAlmostEqual(energies[0], energies[1], delta=1e-3 * energies[0])
        self.assertAlmostEqual(energies[0], energies[2], delta=1e-3 * energies[0])
        log = self.table("log.csv", "time,power_w\n" + "".join(
            f"{100 * i},{100 + i % 7}\n" for i in range(300)))
        self.assertIn("time_ms", self.call("analyze", "-v", str(log)).stdout)

    def test_milliwatts_under_power_are_named(self):
        log = self.table("log.csv", "time,power\n" + "".join(
            f"{i},{120000 + i}\n" for i in range(30)))
        call = self.call("analyze", str(log))
        self.assertEqual(call.returncode, 1)
        self.assertIn("if these are milliwatts, call the column power_mw", call.stderr)

    def test_what_a_profile_may_exclude_is_said(self):
        log = self.log(row for _, row in self.rows(every=0.02))
        said = " ".join(self.call("analyze", str(log)).stdout.split())
        self.assertIn("`truewatt characterize`, run once, may exclude that", said)

    def test_a_log_that_makes_no_profile_says_what_would(self):
        log = self.log(row for _, row in self.rows(every=0.02))
        call = self.call("analyze", str(log), "--write-profile", str(self.folder / "p.json"))
        self.assertEqual(call.returncode, 1)
        self.assertIn("`truewatt measure --out`", call.stderr)

    def test_a_hole_of_an_hour_is_not_read(self):
        log = self.log(row for _, row in self.rows(pause=lambda t: 3600 if t >= 12 else 0))
        call, [window] = self.job(log)
        self.assertEqual(call.returncode, 4)
        self.assert_no_energy(window, "gap_in_readings")

    def test_a_counter_tells_the_sum_of_a_hole_and_not_its_parts(self):
        """60 W, and 300 W from 53 to 97 s; no rows from 50 to 100 s."""
        def joules(t):
            return 60 * t + 240 * min(max(t - 53, 0), 44)
        log = self.table("log.csv", "time_s,total_energy_consumption [mJ]\n" + "".join(
            f"{i / 2},{1000 * (7e6 + joules(i / 2)):.0f}\n" for i in range(301) if not 100 < i < 200))
        windows = {"across": (40, 110), "nearly_all": (51, 110), "begin": (20, 51), "inside": (60, 75)}
        found = self.windows_of(log, windows)
        for name, (begin, end) in windows.items():
            with self.subTest(window=name):
                if name == "inside":
                    self.assert_no_energy(found[name], "no_readings_in_window")
                    continue
                self.assert_holds(found[name]["on_sensor_scale_j"], joules(end) - joules(begin))
                self.assertEqual(found[name]["resolved"], name != "begin")
                self.assertEqual("gap_in_readings" in found[name]["reasons"], name != "across")

    def test_a_log_that_goes_on_with_fewer_rows_is_no_row_of_holes(self):
        def watts(t):
            return 60 + 120 * (t % 10 < 5) + 0.5 * math.sin(7.1 * t)
        times = [i / 10 for i in range(600)] + [60.0 + i for i in range(60)]
        log = self.table("log.csv", "time_s,power_w\n" + "".join(f"{t},{watts(t):.2f}\n" for t in times))
        found = self.windows_of(log, {"fast": (5, 55), "slow": (65, 115)})
        for name in ("fast", "slow"):
            self.assert_holds(found[name]["on_sensor_scale_j"], 6000)
        self.assertLess(found["slow"]["on_sensor_scale_j"]["upper"], 1.2 * 6000)

    def test_a_second_run_a_day_later_changes_nothing(self):
        widths = []
        for days in (0, 1):
            rows = [row for _, row in self.rows()]
            rows += [row for _, row in self.rows(pause=lambda t: 86400.0)] if days else []
            _, [window] = self.job(self.log(rows))
            self.assert_holds(window["on_sensor_scale_j"], 6400)
            self.assert_holds(window["net_energy_j"], 5400)
            widths.append(window["on_sensor_scale_j"]["upper"] - window["energy_j"]["value"])
        self.assertLess(widths[1], 1.5 * widths[0])

    def test_a_clock_that_goes_back_by_any_time_is_a_step(self):
        """Rows behind stand behind; the second run draws 200 W."""
        for back in (30, 300, 3600 * 5, 86400 * 10):
            with self.subTest(back=back):
                rows = [row for _, row in self.rows()]
                rows += [row for _, row in self.rows(
                    pause=lambda t: 50 - back, watts=lambda t: (200 if 10 <= t < 30 else 50) + 0.5 * math.sin(7.1 * t))]
                log = self.log(rows)
                for begin, joules in ((10, 6400), (50.2, 4000)):
                    call, [window] = self.job(log, begin, begin + 20)
                    self.assertEqual(call.returncode, 0)
                    self.assert_holds(window["on_sensor_scale_j"], joules)
                call, [window] = self.job(log, 20, 60)
                self.assertEqual(call.returncode, 4)
                self.assert_no_energy(window, "clock_step")
                self.assertIn("clock goes back by", self.call("analyze", "-v", str(log)).stdout)

    def test_an_older_log_that_was_appended_has_its_dates(self):
        rows = [row for _, row in self.rows(pause=lambda t: 86400.0)]
        rows += [row for _, row in self.rows(watts=lambda t: (200 if 10 <= t < 30 else 50) + 0.5 * math.sin(7.1 * t))]
        for day, joules in ((13, 6400), (12, 4000)):
            call, [window] = self.job(self.log(rows), f"2025/06/{day} 12:00:10", f"2025/06/{day} 12:00:30")
            self.assertEqual(call.returncode, 0)
            self.assert_holds(window["on_sensor_scale_j"], joules)

    def test_rows_out_of_order_are_those_in_order(self):
        rows = [row for _, row in self.rows()]
        swapped = list(rows)
        for i in range(0, len(rows) - 5, 10):
            swapped[i], swapped[i + 3] = swapped[i + 3], swapped[i]
        shuffled = list(rows)
        random.Random(1).shuffle(shuffled)
        _, [expected] = self.job(self.log(rows))
        for out_of_order in (swapped, shuffled, rows[::-1]):
            call = self.call("analyze", str(self.log(out_of_order)))
            self.assertIn("rows stood out of order", call.stdout)
            _, [window] = self.job(self.log(out_of_order))
            self.assertEqual(window, expected)

    def test_of_two_runs_a_day_apart_the_stretches_are_named(self):
        rows = [row for _, row in self.rows()]
        rows += [row for _, row in self.rows(pause=lambda t: 86400.0)]
        call = self.call("analyze", str(self.log(rows)))
        self.assertEqual(call.returncode, 4)
        said = " ".join(call.stdout.split())
        stretches = re.search(r"begin_s,end_s: ([\d.]+,[\d.]+) ([\d.]+,[\d.]+)", said)
        self.assertIsNotNone(stretches, said)
        windows = self.table("named.csv", "begin_s,end_s\n" + "\n".join(stretches.groups()) + "\n")
        call = self.call("analyze", str(self.log(rows)), "-q", "--json", "-", "--windows", str(windows))
        for window in json.loads(call.stdout)["windows"]:
            self.assert_holds(window["on_sensor_scale_j"], 6400 + 20 * 50)

    def test_windows_of_one_label_that_overlap_are_told(self):
        log = self.log(row for _, row in self.rows())
        for second, told in (("15,25", True), ("20,30", False)):
            windows = self.table("steps.csv", f"begin_s,end_s,label\n10,20,step\n{second},step\n")
            call = self.call("analyze", str(log), "--windows", str(windows))
            self.assertEqual("windows named 'step' overlap" in call.stdout, told)

    def test_idle_is_no_half_of_the_work_where_stamps_are_whole_seconds(self):
        rows = []
        for t, row in self.rows(every=0.2):
            stamp, rest = row.split(",", 1)
            rows.append(f"{stamp[:-4]},{rest}")
        _, [window] = self.job(self.log(rows))
        self.assertAlmostEqual(window["baseline"]["w"], 50, delta=3)

    def test_a_gpu_that_goes_is_not_merged_with_one_that_stays(self):
        rows = []
        for t, row in self.rows(every=0.5):
            rows.append(row.replace(", 0,", ","))
            if t < 12:
                rows.append(f"{self.stamp(t + 0.002)}, 160.00 W\n")
        call, _ = self.job(self.log(rows, "timestamp, power.draw [W]"))
        self.assertEqual(call.returncode, 1)
        self.assertIn("record index or uuid", call.stderr)

    def test_windows_count_from_the_first_row_answered_or_not(self):
        log = self.log(row if t >= 5 else f"{self.stamp(t)}, 0, [N/A]\n" for t, row in self.rows())
        _, [window] = self.job(log)
        self.assertEqual(window["begin_s"], 10)
        self.assert_holds(window["on_sensor_scale_j"], 6400)

    def test_idle_after_the_work_alone_is_idle(self):
        log = self.log(row for _, row in self.rows(
            end=60, watts=lambda t: (600 if t < 20 else 80) + 0.5 * math.sin(7.1 * t)))
        _, [window] = self.job(log, 2, 20)
        self.assert_holds(window["net_energy_j"], 18 * 520)
        self.assertEqual(window["baseline"]["kind"], "lowest")

    def test_idle_of_a_context_over_a_board_that_slept_is_another_level(self):
        for context, is_told in ((128, True), (26, False)):
            log = self.log(row for _, row in self.rows(
                end=40, watts=lambda t: (25 if t < 5 else context if t < 10 else 400 if t < 30 else context)
                + 0.5 * math.sin(7.1 * t)))
            _, [window] = self.job(log, 10, 30)
            self.assertEqual("baseline_ambiguous" in window["reasons"], is_told)

    def test_no_work_gives_energy_back(self):
        # Clocks are still up of what ran before; they fall while a program starts that uses no GPU.
        log = self.log(row for _, row in self.rows(
            end=40, watts=lambda t: (127 if t < 12 else 85 if t < 38 else 700) + 0.5 * math.sin(7.1 * t)))
        _, [window] = self.job(log, 8, 30)
        self.assert_holds(window["on_sensor_scale_j"], 4 * 127 + 18 * 85)
        self.assertEqual(window["baseline"]["kind"], "lowest")
        self.assert_holds(window["net_energy_j"], 4 * 42)
        self.assertIn("baseline_ambiguous", window["reasons"])
        _, [window] = self.job(log, 8, 30, "--baseline", "before")
        self.assertLess(window["net_energy_j"]["upper"], 0)

    def test_work_all_the_time_is_no_idle(self):
        log = self.log(row for _, row in self.rows(watts=lambda t: 600 + 0.5 * math.sin(7.1 * t)))
        _, [window] = self.job(log, 2, 38)
        self.assert_holds(window["on_sensor_scale_j"], 36 * 600)
        self.assertIsNone(window["net_energy_j"])

    def test_whole_watts_do_not_tell_how_often_they_come(self):
        log = self.log(row for _, row in self.rows(
            every=1.0, watts=lambda t: round((160 if 10 <= t < 30 else 25) + 0.5 * math.sin(7 * t))))
        _, [window] = self.job(log)
        self.assert_holds(window["on_sensor_scale_j"], 3200)
        width = window["on_sensor_scale_j"]["upper"] - window["energy_j"]["value"]
        self.assertLess(width, 0.15 * 3200)
        self.assertIsNotNone(window["net_energy_j"])

    def test_a_moment_without_readings_is_in_the_interval(self):
        """Idle or work, whichever it was: a second of 270 W, and no reading of it."""
        for begin in (18.0, 29.5):
            log = self.log(row for t, row in self.rows() if not begin < t < begin + 1)
            call, [window] = self.job(log)
            self.assertEqual(call.returncode, 0)
            self.assertTrue(window["valid"])
            self.assertIn("gap_in_readings", window["reasons"])
            self.assert_holds(window["on_sensor_scale_j"], 6400)
            self.assert_holds(window["net_energy_j"], 5400)
            width = window["on_sensor_scale_j"]["upper"] - window["on_sensor_scale_j"]["lower"]
            self.assertGreater(width, 0.3 * 270)
            self.assertLess(width, 2 * 270)

    def test_readings_that_a_small_board_does_not_draw_are_counted(self):
        rows = [row.replace(", 0,", ", NVIDIA GeForce GTX 1050 Ti,") for _, row in self.rows(
            watts=lambda t: 2011.0 if t in (15, 21) else (70 if 10 <= t < 30 else 8) + 0.5 * math.sin(7.1 * t))]
        log = self.log(rows, "timestamp, name, power.draw [W]")
        windows = self.table("job.csv", "begin_s,end_s\n10,30\n")
        analysis = self.analyzed(log, windows=windows)
        [window] = analysis["windows"]
        self.assert_holds(window["on_sensor_scale_j"], 1400)
        [note] = [note for note in analysis["notes"] if "left out" in note]
        self.assertIn("2 above 600 W (up to 2011 W)", note)

    def test_windows_may_be_written_as_the_log_is(self):
        rows = [row for _, row in self.rows()]
        expected = None
        for text in ("begin_s,end_s,label\n10,30,job\n",
                     "label;begin;end\njob;10,0;30,0\n",
                     "start,end\n2025/06/12 12:00:10.000,2025/06/12 12:00:30.000\n",
                     "start,end\n2025-06-12T12:00:10,2025-06-12T12:00:30\n"):
            with self.subTest(windows=text):
                windows = self.table("w.csv", text)
                call = self.call("analyze", str(self.log(rows)), "-q", "--json", "-", "--windows", str(windows))
                self.assertEqual(call.returncode, 0, call.stderr)
                [window] = json.loads(call.stdout)["windows"]
                self.assertEqual(window["begin_s"], 10)
                expected = expected or window["energy_j"]
                self.assertEqual(window["energy_j"], expected)
        windows = self.table("w.csv", "start,end\n2025-06-12 12:00:10,2025-06-12 12:00:30\n")
        log = self.log([row.replace(",", "Z,", 1) for row in rows])
        call = self.call("analyze", str(log), "--windows", str(windows))
        self.assertEqual(call.returncode, 2)
        self.assertIn("--utc-offset", call.stderr)


class LastSecond(OtherLogs):
    """power.draw as most drivers make it: the mean of the last second, new every 0.1 s."""

    def polled(self, work, every=0.053, extra="", columns=("mean",), end=20.0):
        """Rows of 60 W, and 350 W within each (begin, end) of `work`."""
        def joules(t):
            return 60 * t + sum(290 * min(max(t - begin, 0), until - begin) for begin, until in work)
        rows, t, i = [], 0.0, 0
        while t < end:
            tick = math.floor((t - 0.03) / 0.1) * 0.1 + 0.03
            shown = {"mean": joules(tick) - joules(tick - 1),
                     "instant": (joules(tick) - joules(tick - 0.025)) / 0.025}
            cells = "".join(f", {shown[one] + 0.3 * math.sin(17.3 * round(10 * tick)):.2f} W" for one in columns
                            if one in shown)
            cells += f", {1000 * (10000 + joules(tick)):.0f}" if "count" in columns else ""
            rows.append(f"{self.stamp(t)}{extra}{cells}\n")
            i += 1
            t += every + 0.003 * (i * 0.618 % 1)
        return rows

    HEADER = "timestamp, power.draw [W]"

    def held(self, log, begin, end, joules, within):
        call, [window] = self.job(log, begin, end)
        self.assertEqual(call.returncode, 0, call.stderr)
        interval = window["on_sensor_scale_j"]
        self.assert_holds(interval, joules)
        self.assertLess(interval["upper"] - interval["lower"], 2 * within * joules)

    def test_short_work_is_not_its_share_of_a_second(self):
        for length, within in ((0.4, 0.2), (0.6, 0.15), (2, 0.05), (7, 0.02)):
            with self.subTest(length=length):
                log = self.log(self.polled([(5, 5 + length)]), self.HEADER)
                self.held(log, 5, 5 + length, 350 * length, within)

    def test_a_log_that_names_no_driver_may_be_of_any(self):
        for name in ("NVIDIA GeForce RTX 4090", "NVIDIA RTX A6000", "NVIDIA H100 80GB HBM3"):
            with self.subTest(name=name):
                log = self.log(self.polled([(5, 7)], extra=f", {name}"), "timestamp, name, power.draw [W]")
                self.held(log, 5, 7, 700, 0.05)

    def test_columns_do_not_make_an_energy_that_none_of_them_shows(self):
        header = "timestamp, power.draw [W], power.draw.average [W], power.draw.instant [W]"
        for step, every in ((1.3, 1.0), (0.37, 0.1)):
            with self.subTest(step=step):
                work = [(2 + step * i, 2 + step * i + 0.6 * step) for i in range(int(66 / step))]
                log = self.log(self.polled(work, every=every, columns=("mean", "mean", "instant"), end=72), header)
                call, [window] = self.job(log, 0.5, 70)
                self.assertEqual(call.returncode, 0, call.stderr)
                joules = 60 * 69.5 + 290 * 0.6 * step * len(work)
                self.assertAlmostEqual(window["on_sensor_scale_j"]["value"] / joules, 1, delta=0.02)

    def test_a_second_column_makes_nothing_worse(self):
        work = [(5 + 1.3 * i, 5.8 + 1.3 * i) for i in range(30)]
        rows = self.polled(work, columns=("mean", "instant"), end=50)
        log = self.log(rows, "timestamp, power.draw [W], power.draw.instant [W]")
        joules = 60 * 41 + 290 * 0.8 * 30
        self.held(log, 4, 45, joules, 0.05)

    def test_more_columns_of_rows_a_second_apart_make_nothing_worse(self):
        titles = {"mean": "power.draw [W]", "instant": "power.draw.instant [W]",
                  "count": "total_energy_consumption [mJ]"}
        work, t = [], 5.0
        while t < 150:
            length = 0.6 + 5 * ((0.618 * len(work)) % 1)
            work.append((t, t + length))
            t += length + 0.7 + 4 * ((0.755 * len(work)) % 1)
        joules = 60 * 156 + 290 * sum(end - begin for begin, end in work)

        def width(columns, every):
            header = ", ".join(["timestamp", *(titles[one] for one in columns)])
            log = self.log(self.polled(work, every=every, columns=columns, end=170), header)
            call, [window] = self.job(log, 4, 160)
            self.assertEqual(call.returncode, 0, call.stderr)
            self.assertEqual([one for one in window["reasons"] if one in ("model_misfit", "sources_disagree")], [])
            interval = window["on_sensor_scale_j"]
            self.assert_holds(interval, joules)
            return interval["upper"] - interval["lower"]

        for every in (0.5, 1.0, 2.0):
            with self.subTest(every=every):
                self.assertLess(width(("mean", "instant"), every), 1.1 * width(("mean",), every))
                self.assertLess(width(("mean", "instant", "count"), every), 1.5 * width(("count",), every))

    def test_a_header_that_comes_again_may_add_a_column(self):
        work = [(5, 12)]
        rows = self.polled(work, end=14.5)
        more = self.polled(work, columns=("mean", "instant"))[len(rows):]
        log = self.log([*rows, "timestamp, power.draw [W], power.draw.instant [W]\n", *more], self.HEADER)
        self.held(log, 4, 14, 600 + 7 * 290, 0.03)

    def test_a_recording_is_as_long_as_any_source_answers(self):
        rows = self.polled([(5, 12)], columns=("mean", "instant"))
        rows = [row if float(i) < 0.4 * len(rows) else row.replace(row.split(", ")[1], "[N/A]", 1) for i, row in enumerate(rows)]
        log = self.log(rows, "timestamp, power.draw [W], power.draw.instant [W]")
        call = self.call("analyze", str(log), "-q", "--json", "-")
        [window] = json.loads(call.stdout)["windows"]
        self.assertGreater(window["end_s"] - window["begin_s"], 19.8)
        self.assert_holds(window["on_sensor_scale_j"], 60 * (window["end_s"] - window["begin_s"]) + 7 * 290)
        self.assertIsNone(window["net_energy_j"])
        call = self.call("analyze", str(log), "-q", "--json", "-", "--baseline", "lowest")
        [window] = json.loads(call.stdout)["windows"]
        self.assert_holds(window["net_energy_j"], 7 * 290)


if __name__ == "__main__":
    unittest.main()
