#!/usr/bin/env python3
"""A Python client of libnvidia-ml.so.1, as nvidia-ml-py makes one: argument is the library's path.

The interface is declared here a third time, by hand and with ctypes, so that neither of the C++
declarations vouches for itself. With nvidia-ml-py installed the same is asked through it.
"""

import ctypes
import os
import sys
import time

SUCCESS, INVALID_ARGUMENT, NOT_SUPPORTED, UNINITIALIZED = 0, 2, 3, 1
FIELD_ENERGY, FIELD_AVERAGE, FIELD_INSTANT = 83, 185, 186
VALUE_UINT, VALUE_ULL = 1, 3
# The device below: asleep, exact, and its counter's tick.
SLEEP_W, TICK_S = 20.0, 0.005
DEVICE = """
name = "exact"
[power]
sleep_w = 20.0
idle_w = 50.0
max_w = 250.0
noise_w = 0.0
[[sensor]]
source = "power.usage"
update_period_s = 0.005
averaging_window_s = 0.0
[[sensor]]
source = "power.instant"
update_period_s = 0.005
averaging_window_s = 0.0
[[sensor]]
source = "power.samples"
update_period_s = 0.02
averaging_window_s = 0.0
ring = 50
[[sensor]]
source = "energy.counter"
update_period_s = 0.005
averaging_window_s = 0.0
"""


class Value(ctypes.Union):
    _fields_ = [("d", ctypes.c_double), ("ui", ctypes.c_uint), ("ull", ctypes.c_ulonglong)]


class FieldValue(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint), ("scope", ctypes.c_uint), ("timestamp", ctypes.c_int64),
                ("latency", ctypes.c_int64), ("type", ctypes.c_uint), ("code", ctypes.c_uint),
                ("value", Value)]


class Sample(ctypes.Structure):
    _fields_ = [("timestamp", ctypes.c_ulonglong), ("value", Value)]


class PciInfo(ctypes.Structure):
    _fields_ = [("legacy", ctypes.c_char * 16), ("domain", ctypes.c_uint), ("bus", ctypes.c_uint),
                ("device", ctypes.c_uint), ("id", ctypes.c_uint), ("subsystem", ctypes.c_uint),
                ("bus_id", ctypes.c_char * 32)]


class Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


class Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]


class MemoryV2(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint)] + [
        (name, ctypes.c_ulonglong) for name in ("total", "reserved", "free", "used")]


def expect(condition, claim):
    if not condition:
        sys.exit(f"FAILED: {claim}")
    print(f"ok: {claim}")


def text(function, handle):
    buffer = ctypes.create_string_buffer(96)
    expect(function(handle, buffer, 96) == SUCCESS, f"{function.__name__} answers")
    return buffer.value.decode()


def unsigned(function, *arguments):
    value = ctypes.c_uint()
    expect(function(*arguments, ctypes.byref(value)) == SUCCESS, f"{function.__name__} answers")
    return value.value


def energy(nvml, handle):
    value = ctypes.c_ulonglong()
    code = nvml.nvmlDeviceGetTotalEnergyConsumption(handle, ctypes.byref(value))
    return value.value if code == SUCCESS else None


def check_system(nvml):
    count = ctypes.c_uint()
    expect(nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == UNINITIALIZED,
           "nothing answers before nvmlInit")
    expect(nvml.nvmlInitWithFlags(0) == SUCCESS, "nvmlInitWithFlags(0) succeeds")
    nvml.nvmlErrorString.restype = ctypes.c_char_p
    expect(nvml.nvmlErrorString(NOT_SUPPORTED) == b"Not Supported", "errors have their names")
    expect(nvml.nvmlErrorString(12345) == b"Unknown Error", "codes of nobody have none")
    expect(unsigned(nvml.nvmlDeviceGetCount_v2) == 1, "there is one GPU")
    handle = ctypes.c_void_p()
    expect(nvml.nvmlDeviceGetHandleByIndex_v2(7, ctypes.byref(handle)) == INVALID_ARGUMENT,
           "there is no GPU 7")
    expect(nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(handle)) == SUCCESS, "there is GPU 0")
    power = ctypes.c_uint()
    expect(nvml.nvmlDeviceGetPowerUsage(ctypes.c_void_p(4096), ctypes.byref(power)) ==
           INVALID_ARGUMENT, "a stranger's handle is refused")
    return handle


def check_identity(nvml, handle):
    expect(text(nvml.nvmlDeviceGetName, handle) == "truewatt simulated exact",
           "the name says that it is simulated")
    uuid = text(nvml.nvmlDeviceGetUUID, handle)
    expect(uuid.startswith("GPU-") and len(uuid) == 40, "the UUID has the usual form")
    info = PciInfo()
    expect(nvml.nvmlDeviceGetPciInfo_v3(handle, ctypes.byref(info)) == SUCCESS, "PCI info answers")
    expect(info.bus_id == b"00000000:10:00.0" and info.bus == 0x10 and
           info.legacy == b"0000:10:00.0", "PCI ids agree with each other")
    for find, name in ((nvml.nvmlDeviceGetHandleByUUID, uuid.encode()),
                       (nvml.nvmlDeviceGetHandleByPciBusId_v2, b"0000:10:00.0")):
        found = ctypes.c_void_p()
        expect(find(name, ctypes.byref(found)) == SUCCESS and found.value == handle.value,
               f"{find.__name__} finds it")


def check_power(nvml, handle):
    expect(unsigned(nvml.nvmlDeviceGetPowerUsage, handle) == 1000 * SLEEP_W, "power is 20 W")
    fields = (FieldValue * 4)()
    for field, number in zip(fields, (FIELD_INSTANT, FIELD_AVERAGE, FIELD_ENERGY, 9999)):
        field.id = number
    expect(nvml.nvmlDeviceGetFieldValues(handle, 4, fields) == SUCCESS, "fields answer as a batch")
    instant, average, counter, unknown = fields
    expect(instant.code == SUCCESS and instant.type == VALUE_UINT and
           instant.value.ui == 1000 * SLEEP_W, "field 186 is 20 W")
    expect(abs(instant.timestamp * 1e-6 - time.time()) < 5, "fields are stamped with REALTIME")
    expect(average.code == NOT_SUPPORTED, "field 185 is not supported by a device without it")
    expect(counter.code == SUCCESS and counter.type == VALUE_ULL, "field 83 is the counter")
    expect(unknown.code == NOT_SUPPORTED, "an unknown field is not supported")


def check_energy(nvml, handle):
    before, first = time.monotonic(), energy(nvml, handle)
    time.sleep(0.5)
    last, after = energy(nvml, handle), time.monotonic()
    joules = (last - first) / 1000
    # Each reading is at most one tick old; a quantum is 1 mJ. The calls lie within the stamps.
    expect(joules <= SLEEP_W * (after - before + TICK_S) + 0.001 and
           joules >= SLEEP_W * (0.5 - TICK_S) - 0.001, "energy grows by power times time")


def check_samples(nvml, handle):
    kind, count = ctypes.c_uint(), ctypes.c_uint()
    ask = nvml.nvmlDeviceGetSamples
    ask.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_ulonglong, ctypes.c_void_p,
                    ctypes.c_void_p, ctypes.c_void_p]
    kind_at, count_at = ctypes.byref(kind), ctypes.byref(count)
    expect(ask(handle, 0, 0, kind_at, count_at, None) == SUCCESS and count.value == 50,
           "the size query tells the size of the ring")
    samples = (Sample * count.value)()
    expect(ask(handle, 0, 0, kind_at, count_at, samples) == SUCCESS, "the ring answers")
    expect(20 <= count.value <= 50 and kind.value == VALUE_UINT, "half a second of 20 ms samples")
    stamps = [sample.timestamp for sample in samples[:count.value]]
    # Rounded to whole microseconds.
    expect(all(19_999 <= b - a <= 20_001 for a, b in zip(stamps, stamps[1:])),
           "samples are 20 ms apart")
    expect(all(sample.value.ui == 1000 * SLEEP_W for sample in samples[:count.value]),
           "samples are 20 W")
    expect(ask(handle, 1, 0, kind_at, count_at, None) == NOT_SUPPORTED, "there is no other ring")


def check_health(nvml, handle):
    rates, memory, memory_v2 = Utilization(), Memory(), MemoryV2(0x02000028)
    expect(nvml.nvmlDeviceGetUtilizationRates(handle, ctypes.byref(rates)) == SUCCESS and
           rates.gpu == 0, "nothing runs")
    expect(nvml.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) == SUCCESS and
           memory.total == memory.free + memory.used > 0, "memory adds up")
    expect(nvml.nvmlDeviceGetMemoryInfo_v2(handle, ctypes.byref(memory_v2)) == SUCCESS and
           memory_v2.total == memory.total, "both generations of memory info agree")
    memory_v2.version = 1
    expect(nvml.nvmlDeviceGetMemoryInfo_v2(handle, ctypes.byref(memory_v2)) == 25,
           "a wrong version is refused")
    expect(0 < unsigned(nvml.nvmlDeviceGetTemperature, handle, 0) < 100, "temperature is plausible")
    expect(unsigned(nvml.nvmlDeviceGetClockInfo, handle, 1) > 0, "there is an SM clock")
    processes = ctypes.c_uint(10)
    expect(nvml.nvmlDeviceGetComputeRunningProcesses_v3(handle, ctypes.byref(processes), None) ==
           SUCCESS and processes.value == 0, "no process runs")


def check_with_nvidia_ml_py(path):
    try:
        import pynvml
    except ImportError:
        return
    pynvml.nvmlLib = ctypes.CDLL(path)
    pynvml.nvmlInit()
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)
    expect(pynvml.nvmlDeviceGetPowerUsage(handle) == 1000 * SLEEP_W, "nvidia-ml-py reads power")
    expect(pynvml.nvmlDeviceGetTotalEnergyConsumption(handle) > 0, "nvidia-ml-py reads energy")
    pynvml.nvmlShutdown()


def main():
    path, scratch = sys.argv[1:3]
    device = os.path.join(scratch, "python_client_device.toml")
    with open(device, "w", encoding="utf-8") as out:
        out.write(DEVICE)
    os.environ["TRUEWATT_SIM_DEVICES"] = device
    nvml = ctypes.CDLL(path)
    handle = check_system(nvml)
    check_identity(nvml, handle)
    check_power(nvml, handle)
    check_energy(nvml, handle)
    check_samples(nvml, handle)
    check_health(nvml, handle)
    expect(nvml.nvmlShutdown() == SUCCESS, "nvmlShutdown succeeds")
    expect(nvml.nvmlShutdown() == UNINITIALIZED, "and only once")
    check_with_nvidia_ml_py(path)


if __name__ == "__main__":
    main()
