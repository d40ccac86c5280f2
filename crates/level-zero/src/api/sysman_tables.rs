//! Tables of the entry points of system management for the loader.

use std::ffi::c_void;

use crate::api::fill::tables;
use crate::api::sysman::*;
use crate::base::function::Function;

tables! {
    /// All functions of system management, by table.
    SYSMAN;
    zesGetGlobalProcAddrTable {
        5:
            ok zesInit;
    }
    zesGetDeviceProcAddrTable {
        0:
            ok zesDeviceGetProperties
            ok zesDeviceGetState
            no zesDeviceReset
            ok zesDeviceProcessesGetState
            ok zesDevicePciGetProperties
            ok zesDevicePciGetState
            ok zesDevicePciGetBars = zesDeviceEnumNothing
            no zesDevicePciGetStats
            ok zesDeviceEnumDiagnosticTestSuites = zesDeviceEnumNothing
            ok zesDeviceEnumEngineGroups = zesDeviceEnumNothing
            no zesDeviceEventRegister
            ok zesDeviceEnumFabricPorts = zesDeviceEnumNothing
            ok zesDeviceEnumFans = zesDeviceEnumNothing
            ok zesDeviceEnumFirmwares = zesDeviceEnumNothing
            ok zesDeviceEnumFrequencyDomains = zesDeviceEnumNothing
            ok zesDeviceEnumLeds = zesDeviceEnumNothing
            ok zesDeviceEnumMemoryModules
            ok zesDeviceEnumPerformanceFactorDomains = zesDeviceEnumNothing
            ok zesDeviceEnumPowerDomains = zesDeviceEnumNothing
            no zesDeviceGetCardPowerDomain
            ok zesDeviceEnumPsus = zesDeviceEnumNothing
            ok zesDeviceEnumRasErrorSets = zesDeviceEnumNothing
            ok zesDeviceEnumSchedulers = zesDeviceEnumNothing
            ok zesDeviceEnumStandbyDomains = zesDeviceEnumNothing
            ok zesDeviceEnumTemperatureSensors = zesDeviceEnumNothing;
        4:
            ok zesDeviceEccAvailable
            ok zesDeviceEccConfigurable = zesDeviceEccAvailable
            no zesDeviceGetEccState
            no zesDeviceSetEccState;
        5:
            ok zesDeviceGet
            no zesDeviceSetOverclockWaiver
            no zesDeviceGetOverclockDomains
            no zesDeviceGetOverclockControls
            no zesDeviceResetOverclockSettings
            no zesDeviceReadOverclockState
            ok zesDeviceEnumOverclockDomains = zesDeviceEnumNothing;
        7:
            no zesDeviceResetExt;
        15:
            no zesDevicePciLinkSpeedUpdateExt;
    }
    zesGetDeviceExpProcAddrTable {
        9:
            ok zesDeviceGetSubDevicePropertiesExp = zesDeviceEnumNothing
            ok zesDeviceEnumActiveVFExp = zesDeviceEnumNothing;
        10:
            ok zesDeviceEnumEnabledVFExp = zesDeviceEnumNothing;
    }
    zesGetDriverProcAddrTable {
        0:
            no zesDriverEventListen;
        1:
            no zesDriverEventListenEx;
        5:
            ok zesDriverGet;
        8:
            ok zesDriverGetExtensionProperties
            no zesDriverGetExtensionFunctionAddress;
    }
    zesGetDriverExpProcAddrTable {
        9:
            ok zesDriverGetDeviceByUuidExp;
    }
    zesGetOverclockProcAddrTable {
        5:
            no zesOverclockGetDomainProperties
            no zesOverclockGetDomainVFProperties
            no zesOverclockGetDomainControlProperties
            no zesOverclockGetControlCurrentValue
            no zesOverclockGetControlPendingValue
            no zesOverclockSetControlUserValue
            no zesOverclockGetControlState
            no zesOverclockGetVFPointValues
            no zesOverclockSetVFPointValues;
    }
    zesGetSchedulerProcAddrTable {
        0:
            no zesSchedulerGetProperties
            no zesSchedulerGetCurrentMode
            no zesSchedulerGetTimeoutModeProperties
            no zesSchedulerGetTimesliceModeProperties
            no zesSchedulerSetTimeoutMode
            no zesSchedulerSetTimesliceMode
            no zesSchedulerSetExclusiveMode
            no zesSchedulerSetComputeUnitDebugMode;
    }
    zesGetPerformanceFactorProcAddrTable {
        0:
            no zesPerformanceFactorGetProperties
            no zesPerformanceFactorGetConfig
            no zesPerformanceFactorSetConfig;
    }
    zesGetPowerProcAddrTable {
        0:
            no zesPowerGetProperties
            no zesPowerGetEnergyCounter
            no zesPowerGetLimits
            no zesPowerSetLimits
            no zesPowerGetEnergyThreshold
            no zesPowerSetEnergyThreshold
            no zesPowerGetLimitsExt
            no zesPowerSetLimitsExt;
        16:
            no zesPowerGetUsage
            no zesPowerGetLimitsExt2
            no zesPowerSetLimitsExt2;
    }
    zesGetFrequencyProcAddrTable {
        0:
            no zesFrequencyGetProperties
            no zesFrequencyGetAvailableClocks
            no zesFrequencyGetRange
            no zesFrequencySetRange
            no zesFrequencyGetState
            no zesFrequencyGetThrottleTime
            no zesFrequencyOcGetCapabilities
            no zesFrequencyOcGetFrequencyTarget
            no zesFrequencyOcSetFrequencyTarget
            no zesFrequencyOcGetVoltageTarget
            no zesFrequencyOcSetVoltageTarget
            no zesFrequencyOcSetMode
            no zesFrequencyOcGetMode
            no zesFrequencyOcGetIccMax
            no zesFrequencyOcSetIccMax
            no zesFrequencyOcGetTjMax
            no zesFrequencyOcSetTjMax;
    }
    zesGetEngineProcAddrTable {
        0:
            no zesEngineGetProperties;
        7:
            no zesEngineGetActivity
            no zesEngineGetActivityExt;
    }
    zesGetStandbyProcAddrTable {
        0:
            no zesStandbyGetProperties
            no zesStandbyGetMode
            no zesStandbySetMode;
    }
    zesGetFirmwareProcAddrTable {
        0:
            no zesFirmwareGetProperties
            no zesFirmwareFlash;
        8:
            no zesFirmwareGetFlashProgress;
        9:
            no zesFirmwareGetConsoleLogs;
    }
    zesGetFirmwareExpProcAddrTable {
        9:
            no zesFirmwareGetSecurityVersionExp
            no zesFirmwareSetSecurityVersionExp;
    }
    zesGetMemoryProcAddrTable {
        0:
            ok zesMemoryGetProperties
            ok zesMemoryGetState
            no zesMemoryGetBandwidth;
    }
    zesGetFabricPortProcAddrTable {
        0:
            no zesFabricPortGetProperties
            no zesFabricPortGetLinkType
            no zesFabricPortGetConfig
            no zesFabricPortSetConfig
            no zesFabricPortGetState
            no zesFabricPortGetThroughput;
        7:
            no zesFabricPortGetFabricErrorCounters
            no zesFabricPortGetMultiPortThroughput;
    }
    zesGetTemperatureProcAddrTable {
        0:
            no zesTemperatureGetProperties
            no zesTemperatureGetConfig
            no zesTemperatureSetConfig
            no zesTemperatureGetState;
    }
    zesGetPsuProcAddrTable {
        0:
            no zesPsuGetProperties
            no zesPsuGetState;
    }
    zesGetFanProcAddrTable {
        0:
            no zesFanGetProperties
            no zesFanGetConfig
            no zesFanSetDefaultMode
            no zesFanSetFixedSpeedMode
            no zesFanSetSpeedTableMode
            no zesFanGetState;
    }
    zesGetLedProcAddrTable {
        0:
            no zesLedGetProperties
            no zesLedGetState
            no zesLedSetState
            no zesLedSetColor;
    }
    zesGetRasProcAddrTable {
        0:
            no zesRasGetProperties
            no zesRasGetConfig
            no zesRasSetConfig
            no zesRasGetState;
    }
    zesGetRasExpProcAddrTable {
        0:
            no zesRasGetStateExp
            no zesRasClearStateExp;
        16:
            no zesRasGetSupportedCategoriesExp
            no zesRasGetStateExp2
            no zesRasGetConfigExp
            no zesRasSetConfigExp;
    }
    zesGetDiagnosticsProcAddrTable {
        0:
            no zesDiagnosticsGetProperties
            no zesDiagnosticsGetTests
            no zesDiagnosticsRunTests;
    }
    zesGetVFManagementExpProcAddrTable {
        9:
            no zesVFManagementGetVFPropertiesExp
            no zesVFManagementGetVFMemoryUtilizationExp
            no zesVFManagementGetVFEngineUtilizationExp
            no zesVFManagementSetVFTelemetryModeExp
            no zesVFManagementSetVFTelemetrySamplingIntervalExp;
        10:
            no zesVFManagementGetVFCapabilitiesExp
            no zesVFManagementGetVFMemoryUtilizationExp2
            no zesVFManagementGetVFEngineUtilizationExp2;
        12:
            no zesVFManagementGetVFCapabilitiesExp2;
    }
}
