#!/usr/bin/env python3
"""Holds the dynamic symbols of libnvidia-ml.so.1 (argument) against what clients look up.

Every list is what one client binds; a name missing from it disables NVIDIA in that client, or one
of its readings. Nothing but nvml* may be exported.
"""

import subprocess
import sys

VERSIONED = {
    "nvmlInit": ["_v2"],
    "nvmlDeviceGetCount": ["_v2"],
    "nvmlDeviceGetHandleByIndex": ["_v2"],
    "nvmlDeviceGetHandleByPciBusId": ["_v2"],
    "nvmlDeviceGetPciInfo": ["_v2", "_v3"],
    "nvmlDeviceGetComputeRunningProcesses": ["_v2", "_v3"],
    "nvmlDeviceGetGraphicsRunningProcesses": ["_v2", "_v3"],
    "nvmlDeviceGetMPSComputeRunningProcesses": ["_v2", "_v3"],
    "nvmlDeviceGetMemoryInfo": ["_v2"],
    "nvmlEventSetWait": ["_v2"],
    "nvmlSystemGetCudaDriverVersion": ["_v2"],
}

# Written without the prefix "nvml", or "nvmlDevice" where the line says so.
CLIENTS = {
    "truewatt": (
        "Init Shutdown ErrorString SystemGetDriverVersion",
        "GetCount GetHandleByIndex GetHandleByUUID GetName GetUUID GetPciInfo_v3 GetMigMode "
        "GetMaxMigDeviceCount GetMigDeviceHandleByIndex GetDeviceHandleFromMigDeviceHandle "
        "GetPowerUsage GetTotalEnergyConsumption GetFieldValues GetSamples GetUtilizationRates "
        "GetPerformanceState GetTemperature GetTemperatureV GetClockInfo "
        "GetCurrentClocksEventReasons GetMemoryInfo"),
    "nvidia-ml-py": (
        "InitWithFlags Shutdown ErrorString SystemGetDriverVersion SystemGetNVMLVersion",
        "GetIndex GetMinorNumber GetBrand GetCudaComputeCapability GetSerial"),
    "Zeus": (
        "",
        "GetName GetArchitecture GetFieldValues GetTotalEnergyConsumption GetPowerManagementLimit "
        "GetPowerManagementDefaultLimit GetPowerManagementLimitConstraints GetPersistenceMode "
        "GetSupportedMemoryClocks GetSupportedGraphicsClocks GetTemperatureV "
        "SetPowerManagementLimit SetPersistenceMode SetGpuLockedClocks ResetGpuLockedClocks "
        "SetMemoryLockedClocks ResetMemoryLockedClocks"),
    "CodeCarbon": (
        "",
        "GetName GetUUID GetMemoryInfo GetTemperature GetPowerUsage GetEnforcedPowerLimit "
        "GetUtilizationRates GetComputeMode GetComputeRunningProcesses "
        "GetGraphicsRunningProcesses GetTotalEnergyConsumption"),
    "nvtop": (
        "Init Shutdown ErrorString",
        "GetCount GetHandleByIndex GetName GetPciInfo_v3 GetMaxPcieLinkGeneration "
        "GetMaxPcieLinkWidth GetTemperatureThreshold GetClockInfo GetMaxClockInfo "
        "GetUtilizationRates GetMemoryInfo GetCurrPcieLinkGeneration GetCurrPcieLinkWidth "
        "GetPcieThroughput GetFanSpeed GetTemperature GetPowerUsage GetEnforcedPowerLimit "
        "GetEncoderUtilization GetDecoderUtilization GetGraphicsRunningProcesses "
        "GetComputeRunningProcesses GetMPSComputeRunningProcesses GetProcessUtilization "
        "GetMigMode"),
    "btop": (
        "ErrorString Init Shutdown",
        "GetCount GetHandleByIndex GetName GetPowerManagementLimit GetTemperatureThreshold "
        "GetUtilizationRates GetClockInfo GetPowerUsage GetPowerState GetTemperature "
        "GetMemoryInfo GetPcieThroughput GetEncoderUtilization GetDecoderUtilization"),
    "PAPI": (
        "Init Shutdown ErrorString",
        "GetClockInfo GetDetailedEccErrors GetFanSpeed GetMemoryInfo GetPerformanceState "
        "GetPowerUsage GetTotalEnergyConsumption GetFieldValues GetTemperature GetTotalEccErrors "
        "GetUtilizationRates GetHandleByIndex GetPciInfo GetName GetInforomVersion GetEccMode "
        "GetCount GetPowerManagementLimit SetPowerManagementLimit "
        "GetPowerManagementLimitConstraints"),
    "kernel_tuner": (
        "",
        "GetAutoBoostedClocksEnabled GetDefaultApplicationsClock GetSupportedMemoryClocks "
        "GetApplicationsClock SetApplicationsClocks"),
}


def exported(path):
    listing = subprocess.run(["nm", "--dynamic", "--defined-only", path], check=True,
                             capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines()}


def promised():
    names = {name + suffix for name, suffixes in VERSIONED.items() for suffix in [""] + suffixes}
    for system, device in CLIENTS.values():
        names |= {"nvml" + name for name in system.split()}
        names |= {"nvmlDevice" + name for name in device.split()}
    return names


def main():
    symbols = exported(sys.argv[1])
    missing = sorted(promised() - symbols)
    foreign = sorted(name for name in symbols if not name.startswith("nvml"))
    for name in missing:
        print(f"missing: {name}")
    for name in foreign:
        print(f"exported and not NVML's: {name}")
    print(f"{len(symbols)} exported, {len(promised())} promised")
    sys.exit(1 if missing or foreign or len(symbols) < 60 else 0)


if __name__ == "__main__":
    main()
