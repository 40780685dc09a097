"""`truewatt doctor`: what it finds on this machine."""

import unittest

from command_line import CommandLine


class Doctor(CommandLine):
    def test_doctor_lists_what_the_host_shows_of_itself(self):
        zone = self.folder / "sys/class/powercap/intel-rapl:0"
        zone.mkdir(parents=True)
        (zone / "name").write_text("package-0\n")
        (zone / "max_energy_range_uj").write_text("262143328850\n")
        (zone / "energy_uj").write_text("12345\n")
        grace = self.folder / "sys/class/hwmon/hwmon3/device"
        grace.mkdir(parents=True)
        (grace / "power1_oem_info").write_text("CPU Power Socket 0\n")
        (grace / "power1_average").write_text("85000000\n")
        text = self.call("doctor", "--seconds", "0", TRUEWATT_SYSFS=str(self.folder / "sys")).stdout
        self.assertIn("CPU package 0 (RAPL)\n[ok] energy.counter@cpu", text)
        self.assertIn("CPU Power Socket 0 (hwmon)\n[ok] power.average@cpu", text)


if __name__ == "__main__":
    unittest.main()
