//! Structures of extensions, as their specifications lay them out.
#![expect(missing_docs, reason = "names and fields are those of the specification")]

use std::ffi::c_void;

use crate::base::structures::structures;
use crate::base::types::GroupCount;

structures! {
    ExternalMemoryFd {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
        fd: i32,
    }
    ImageViewPlanarExtDesc {
        stype: u32,
        p_next: *mut c_void,
        plane_index: u32,
    }
    IpcMemHandle {
        data: [u8; 64],
    }
    IpcEventPoolHandle {
        data: [u8; 64],
    }
    MutableCommandListExpProperties {
        stype: u32,
        p_next: *mut c_void,
        mutable_command_list_flags: u32,
        mutable_command_flags: u32,
    }
    RecordReplayGraphExtProperties {
        stype: u32,
        p_next: *mut c_void,
        graph_flags: u32,
    }
    MutableCommandListExpDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
    MutableCommandIdExpDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
    MutableCommandsExpDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
    }
    MutableKernelArgumentExpDesc {
        stype: u32,
        p_next: *mut c_void,
        command_id: u64,
        arg_index: u32,
        arg_size: usize,
        p_arg_value: *const c_void,
    }
    MutableGroupCountExpDesc {
        stype: u32,
        p_next: *mut c_void,
        command_id: u64,
        p_group_count: *const GroupCount,
    }
    MutableSizeExpDesc {
        stype: u32,
        p_next: *mut c_void,
        command_id: u64,
        x: u32,
        y: u32,
        z: u32,
    }
    KernelAllocationExpProperties {
        stype: u32,
        p_next: *mut c_void,
        base: u64,
        size: usize,
        kind: u32,
        arg_index: u32,
    }
    PhysicalMemDesc {
        stype: u32,
        p_next: *mut c_void,
        flags: u32,
        size: usize,
    }
    PhysicalMemProperties {
        stype: u32,
        p_next: *mut c_void,
        id: u64,
        size: u64,
    }
}
