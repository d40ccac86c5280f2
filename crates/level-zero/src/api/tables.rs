//! Tables of the entry points for the loader, and lookup of functions by name.

use std::ffi::c_void;

use crate::api::append::*;
use crate::api::context::*;
use crate::api::device::*;
use crate::api::driver::*;
use crate::api::event::*;
use crate::api::fabric::*;
use crate::api::fill::tables;
use crate::api::graph::*;
use crate::api::image::*;
use crate::api::ipc::*;
use crate::api::kernel::*;
use crate::api::list::*;
use crate::api::module::*;
use crate::api::queue::*;
use crate::api::update::*;
use crate::api::virtual_memory::*;
use crate::base::function::{self, Function};

/// Returns the function with a name.
pub fn function(name: &str) -> Option<&'static Function> {
    function::register(FUNCTIONS);
    function::find(name)
}

tables! {
    /// All functions of the API, by table.
    FUNCTIONS;
    zeGetRTASBuilderProcAddrTable {
        13:
            no zeRTASBuilderCreateExt
            no zeRTASBuilderGetBuildPropertiesExt
            no zeRTASBuilderBuildExt
            no zeRTASBuilderCommandListAppendCopyExt
            no zeRTASBuilderDestroyExt;
    }
    zeGetRTASBuilderExpProcAddrTable {
        7:
            no zeRTASBuilderCreateExp
            no zeRTASBuilderGetBuildPropertiesExp
            no zeRTASBuilderBuildExp
            no zeRTASBuilderDestroyExp;
    }
    zeGetRTASParallelOperationProcAddrTable {
        13:
            no zeRTASParallelOperationCreateExt
            no zeRTASParallelOperationGetPropertiesExt
            no zeRTASParallelOperationJoinExt
            no zeRTASParallelOperationDestroyExt;
    }
    zeGetRTASParallelOperationExpProcAddrTable {
        7:
            no zeRTASParallelOperationCreateExp
            no zeRTASParallelOperationGetPropertiesExp
            no zeRTASParallelOperationJoinExp
            no zeRTASParallelOperationDestroyExp;
    }
    zeGetGlobalProcAddrTable {
        0:
            ok zeInit;
        10:
            ok zeInitDrivers;
    }
    zeGetDriverProcAddrTable {
        0:
            ok zeDriverGet
            ok zeDriverGetApiVersion
            ok zeDriverGetProperties
            ok zeDriverGetIpcProperties
            ok zeDriverGetExtensionProperties;
        1:
            ok zeDriverGetExtensionFunctionAddress;
        6:
            ok zeDriverGetLastErrorDescription;
        13:
            no zeDriverRTASFormatCompatibilityCheckExt;
        14:
            ok zeDriverGetDefaultContext;
    }
    zeGetDriverExpProcAddrTable {
        7:
            no zeDriverRTASFormatCompatibilityCheckExp;
    }
    zeGetDeviceProcAddrTable {
        0:
            ok zeDeviceGet
            ok zeDeviceGetSubDevices
            ok zeDeviceGetProperties
            ok zeDeviceGetComputeProperties
            ok zeDeviceGetModuleProperties
            ok zeDeviceGetCommandQueueGroupProperties
            ok zeDeviceGetMemoryProperties
            ok zeDeviceGetMemoryAccessProperties
            ok zeDeviceGetCacheProperties
            ok zeDeviceGetImageProperties
            ok zeDeviceGetExternalMemoryProperties
            ok zeDeviceGetP2PProperties
            ok zeDeviceCanAccessPeer
            ok zeDeviceGetStatus;
        1:
            ok zeDeviceGetGlobalTimestamps;
        2:
            no zeDeviceReserveCacheExt
            no zeDeviceSetCacheAdviceExt;
        3:
            ok zeDevicePciGetPropertiesExt;
        7:
            ok zeDeviceGetRootDevice;
        12:
            no zeDeviceImportExternalSemaphoreExt
            no zeDeviceReleaseExternalSemaphoreExt;
        13:
            ok zeDeviceGetVectorWidthPropertiesExt;
        14:
            ok zeDeviceSynchronize;
        15:
            no zeDeviceGetAggregatedCopyOffloadIncrementValue;
        16:
            no zeDeviceGetRuntimeRequirements
            no zeDeviceGetRuntimeRequirementsKey
            no zeDeviceValidateRuntimeRequirements;
        17:
            ok zeDeviceGetCounterBasedEventMaxValue;
    }
    zeGetDeviceExpProcAddrTable {
        4:
            ok zeDeviceGetFabricVertexExp;
    }
    zeGetContextProcAddrTable {
        0:
            ok zeContextCreate
            ok zeContextDestroy
            ok zeContextGetStatus
            ok zeContextSystemBarrier
            ok zeContextMakeMemoryResident
            ok zeContextEvictMemory
            ok zeContextMakeImageResident
            ok zeContextEvictImage = zeContextMakeImageResident;
        1:
            ok zeContextCreateEx;
    }
    zeGetCommandQueueProcAddrTable {
        0:
            ok zeCommandQueueCreate
            ok zeCommandQueueDestroy
            ok zeCommandQueueExecuteCommandLists
            ok zeCommandQueueSynchronize;
        9:
            ok zeCommandQueueGetOrdinal
            ok zeCommandQueueGetIndex;
        17:
            ok zeCommandQueueGetFlags
            ok zeCommandQueueGetMode
            ok zeCommandQueueGetPriority;
    }
    zeGetCommandListProcAddrTable {
        0:
            ok zeCommandListCreate
            ok zeCommandListCreateImmediate
            ok zeCommandListDestroy
            ok zeCommandListClose
            ok zeCommandListReset
            ok zeCommandListAppendWriteGlobalTimestamp
            ok zeCommandListAppendBarrier
            ok zeCommandListAppendMemoryRangesBarrier
            ok zeCommandListAppendMemoryCopy
            ok zeCommandListAppendMemoryFill
            ok zeCommandListAppendMemoryCopyRegion
            ok zeCommandListAppendMemoryCopyFromContext
            ok zeCommandListAppendImageCopy
            ok zeCommandListAppendImageCopyRegion
            ok zeCommandListAppendImageCopyToMemory
            ok zeCommandListAppendImageCopyFromMemory
            ok zeCommandListAppendMemoryPrefetch
            ok zeCommandListAppendMemAdvise
            ok zeCommandListAppendSignalEvent
            ok zeCommandListAppendWaitOnEvents
            ok zeCommandListAppendEventReset
            ok zeCommandListAppendQueryKernelTimestamps
            ok zeCommandListAppendLaunchKernel
            ok zeCommandListAppendLaunchCooperativeKernel = zeCommandListAppendLaunchKernel
            ok zeCommandListAppendLaunchKernelIndirect
            ok zeCommandListAppendLaunchMultipleKernelsIndirect;
        3:
            ok zeCommandListAppendImageCopyToMemoryExt
            ok zeCommandListAppendImageCopyFromMemoryExt;
        6:
            ok zeCommandListHostSynchronize;
        9:
            ok zeCommandListGetDeviceHandle
            ok zeCommandListGetContextHandle
            ok zeCommandListGetOrdinal
            ok zeCommandListImmediateGetIndex
            ok zeCommandListIsImmediate;
        12:
            no zeCommandListAppendSignalExternalSemaphoreExt
            no zeCommandListAppendWaitExternalSemaphoreExt;
        14:
            ok zeCommandListAppendLaunchKernelWithParameters
            ok zeCommandListAppendLaunchKernelWithArguments;
        16:
            ok zeCommandListAppendMemoryCopyWithParameters
            ok zeCommandListAppendMemoryFillWithParameters
            ok zeCommandListImmediateAppendCommandListsWithParameters;
        17:
            ok zeCommandListGetFlags
            ok zeCommandListImmediateGetFlags
            ok zeCommandListImmediateGetMode
            ok zeCommandListImmediateGetPriority
            ok zeCommandListBeginGraphCaptureExt
            ok zeCommandListBeginCaptureIntoGraphExt
            ok zeCommandListIsGraphCaptureEnabledExt
            ok zeCommandListEndGraphCaptureExt
            ok zeCommandListGetGraphExt
            ok zeCommandListAppendGraphExt
            ok zeCommandListAppendHostFunction;
    }
    zeGetCommandListExpProcAddrTable {
        9:
            ok zeCommandListCreateCloneExp
            ok zeCommandListImmediateAppendCommandListsExp
            ok zeCommandListGetNextCommandIdExp
            ok zeCommandListUpdateMutableCommandsExp
            ok zeCommandListUpdateMutableCommandSignalEventExp
            ok zeCommandListUpdateMutableCommandWaitEventsExp;
        10:
            ok zeCommandListGetNextCommandIdWithKernelsExp
            ok zeCommandListUpdateMutableCommandKernelsExp;
        17:
            ok zeCommandListIsMutableExp;
    }
    zeGetImageProcAddrTable {
        0:
            ok zeImageGetProperties
            ok zeImageCreate
            ok zeImageDestroy;
        3:
            ok zeImageGetAllocPropertiesExt;
        5:
            ok zeImageViewCreateExt;
    }
    zeGetImageExpProcAddrTable {
        2:
            ok zeImageGetMemoryPropertiesExp
            ok zeImageViewCreateExp = zeImageViewCreateExt;
        9:
            no zeImageGetDeviceOffsetExp;
    }
    zeGetMemProcAddrTable {
        0:
            ok zeMemAllocShared
            ok zeMemAllocDevice
            ok zeMemAllocHost
            ok zeMemFree
            ok zeMemGetAllocProperties
            ok zeMemGetAddressRange
            ok zeMemGetIpcHandle
            ok zeMemOpenIpcHandle
            ok zeMemCloseIpcHandle;
        3:
            ok zeMemFreeExt;
        6:
            ok zeMemPutIpcHandle;
        9:
            ok zeMemGetPitchFor2dImage;
        15:
            ok zeMemGetIpcHandleWithProperties;
    }
    zeGetMemExpProcAddrTable {
        6:
            ok zeMemGetIpcHandleFromFileDescriptorExp
            ok zeMemGetFileDescriptorFromIpcHandleExp;
        7:
            ok zeMemSetAtomicAccessAttributeExp
            ok zeMemGetAtomicAccessAttributeExp;
    }
    zeGetFenceProcAddrTable {
        0:
            ok zeFenceCreate
            ok zeFenceDestroy
            ok zeFenceHostSynchronize
            ok zeFenceQueryStatus
            ok zeFenceReset;
    }
    zeGetEventPoolProcAddrTable {
        0:
            ok zeEventPoolCreate
            ok zeEventPoolDestroy
            ok zeEventPoolGetIpcHandle
            ok zeEventPoolOpenIpcHandle
            ok zeEventPoolCloseIpcHandle;
        6:
            ok zeEventPoolPutIpcHandle;
        9:
            ok zeEventPoolGetContextHandle
            ok zeEventPoolGetFlags;
    }
    zeGetEventProcAddrTable {
        0:
            ok zeEventCreate
            ok zeEventDestroy
            ok zeEventHostSignal
            ok zeEventHostSynchronize
            ok zeEventQueryStatus
            ok zeEventHostReset
            ok zeEventQueryKernelTimestamp;
        6:
            ok zeEventQueryKernelTimestampsExt;
        9:
            ok zeEventGetEventPool
            ok zeEventGetSignalScope
            ok zeEventGetWaitScope;
        15:
            ok zeEventCounterBasedCreate
            no zeEventCounterBasedGetIpcHandle
            no zeEventCounterBasedOpenIpcHandle
            no zeEventCounterBasedCloseIpcHandle
            no zeEventCounterBasedGetDeviceAddress;
        17:
            ok zeEventGetCounterBasedFlags;
    }
    zeGetEventExpProcAddrTable {
        2:
            ok zeEventQueryTimestampsExp;
    }
    zeGetModuleProcAddrTable {
        0:
            ok zeModuleCreate
            ok zeModuleDestroy
            ok zeModuleDynamicLink
            ok zeModuleGetNativeBinary
            ok zeModuleGetGlobalPointer
            ok zeModuleGetKernelNames
            ok zeModuleGetProperties
            ok zeModuleGetFunctionPointer;
        3:
            ok zeModuleInspectLinkageExt;
    }
    zeGetModuleBuildLogProcAddrTable {
        0:
            ok zeModuleBuildLogDestroy
            ok zeModuleBuildLogGetString;
    }
    zeGetKernelProcAddrTable {
        0:
            ok zeKernelCreate
            ok zeKernelDestroy
            ok zeKernelSetCacheConfig
            ok zeKernelSetGroupSize
            ok zeKernelSuggestGroupSize
            ok zeKernelSuggestMaxCooperativeGroupCount
            ok zeKernelSetArgumentValue
            ok zeKernelSetIndirectAccess
            ok zeKernelGetIndirectAccess
            ok zeKernelGetSourceAttributes
            ok zeKernelGetProperties
            ok zeKernelGetName;
    }
    zeGetKernelExpProcAddrTable {
        1:
            ok zeKernelSetGlobalOffsetExp;
        2:
            ok zeKernelSchedulingHintExp;
        11:
            ok zeKernelGetBinaryExp;
        14:
            ok zeKernelGetAllocationPropertiesExp;
    }
    zeGetSamplerProcAddrTable {
        0:
            ok zeSamplerCreate
            ok zeSamplerDestroy;
    }
    zeGetPhysicalMemProcAddrTable {
        0:
            ok zePhysicalMemCreate
            ok zePhysicalMemDestroy;
        15:
            ok zePhysicalMemGetProperties;
    }
    zeGetVirtualMemProcAddrTable {
        0:
            ok zeVirtualMemReserve
            ok zeVirtualMemFree
            ok zeVirtualMemQueryPageSize
            ok zeVirtualMemMap
            ok zeVirtualMemUnmap
            ok zeVirtualMemSetAccessAttribute
            ok zeVirtualMemGetAccessAttribute;
    }
    zeGetFabricVertexExpProcAddrTable {
        4:
            ok zeFabricVertexGetExp
            ok zeFabricVertexGetSubVerticesExp
            ok zeFabricVertexGetPropertiesExp
            ok zeFabricVertexGetDeviceExp;
    }
    zeGetFabricEdgeExpProcAddrTable {
        4:
            ok zeFabricEdgeGetExp
            no zeFabricEdgeGetVerticesExp
            no zeFabricEdgeGetPropertiesExp;
    }
    zeGetGraphProcAddrTable {
        17:
            ok zeGraphCreateExt
            ok zeGraphGetPrimaryCommandListExt
            ok zeGraphSetDestructionCallbackExt
            ok zeGraphInstantiateExt
            ok zeGraphIsEmptyExt
            ok zeGraphDumpContentsExt
            ok zeGraphDestroyExt;
    }
    zeGetExecutableGraphProcAddrTable {
        17:
            ok zeExecutableGraphGetSourceGraphExt
            ok zeExecutableGraphDestroyExt;
    }
}
