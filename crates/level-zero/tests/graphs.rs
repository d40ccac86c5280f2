//! Graphs: what immediate lists record runs only when an instance is appended.

mod common;

use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};

use common::{MODULE, Raw, Setup, call, launch, set, setup};
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::types::*;
use visakit_testing::scratch;

const COUNT: u32 = 64;

/// Numbers 0, 1 … in memory; and two kernels, of which the second continues with the result of the
/// first: 3 n, then 7 n.
struct Work {
    setup: Setup,
    data: [*mut f32; 3],
    kernels: [Raw; 2],
}

impl Work {
    fn new() -> Option<Self> {
        let spirv = MODULE.as_ref()?;
        let setup = setup();
        let (result, module, log) = setup.module(0, spirv, c"");
        assert_eq!(result, 0, "{log}");
        let data: [*mut f32; 3] = std::array::from_fn(|_| setup.shared(COUNT as usize));
        let kernels = [0, 1].map(|n| {
            let kernel = setup.kernel(module, c"scale");
            assert_eq!(call!(zeKernelSetGroupSize, kernel => Raw, 32 => u32, 1 => u32, 1 => u32), 0);
            let (from, to) = (data[n], data[n + 1]);
            let given =
                [set(kernel, 0, &from), set(kernel, 1, &to), set(kernel, 2, &2.0_f32), set(kernel, 3, &COUNT)];
            assert_eq!(given, [0; 4]);
            kernel
        });
        let work = Self { setup, data, kernels };
        work.clear();
        Some(work)
    }

    fn clear(&self) {
        for n in 0..COUNT as usize {
            // SAFETY: no command uses the memory.
            unsafe {
                self.data[0].add(n).write(n as f32);
                self.data[1].add(n).write(-1.0);
                self.data[2].add(n).write(-1.0);
            }
        }
    }

    fn results(&self) -> [f32; 2] {
        // SAFETY: no command uses the memory.
        [1, 2].map(|n| unsafe { self.data[n].add(5).read() })
    }

    fn launch(&self, list: Raw, n: usize, signal: Raw, waits: &[Raw]) {
        assert_eq!(launch(list, self.kernels[n], COUNT / 32, signal, waits), 0);
    }
}

fn begin(list: Raw) -> u32 {
    call!(zeCommandListBeginGraphCaptureExt, list => Raw, null() => *const c_void)
}

fn end(list: Raw) -> (u32, Raw) {
    let mut graph = null_mut();
    (call!(zeCommandListEndGraphCaptureExt, list => Raw, null() => *const c_void, &mut graph => *mut Raw), graph)
}

fn instantiate(graph: Raw) -> (u32, Raw) {
    let mut executable = null_mut();
    let result = call!(zeGraphInstantiateExt, graph => Raw, null() => *const c_void, &mut executable => *mut Raw);
    (result, executable)
}

fn append(list: Raw, executable: Raw, signal: Raw, waits: &[Raw]) -> u32 {
    call!(zeCommandListAppendGraphExt, list => Raw, executable => Raw, null() => *const c_void, signal => Raw,
        waits.len() as u32 => u32, waits.as_ptr() => *const Raw)
}

fn synchronize(list: Raw) -> u32 {
    call!(zeCommandListHostSynchronize, list => Raw, u64::MAX => u64)
}

fn is_recording(list: Raw) -> bool {
    let answer = call!(zeCommandListIsGraphCaptureEnabledExt, list => Raw);
    assert!([QUERY_TRUE.0, QUERY_FALSE.0].contains(&answer));
    answer == QUERY_TRUE.0
}

fn dot(graph: Raw) -> String {
    let file = scratch("level-zero-graph").join("graph.dot");
    let path = CString::new(file.to_str().unwrap()).unwrap();
    let result = call!(zeGraphDumpContentsExt, graph => Raw, path.as_ptr() => *const c_char, null() => *const c_void);
    assert_eq!(result, 0);
    std::fs::read_to_string(file).unwrap()
}

unsafe extern "C" fn count(data: *mut c_void) {
    // SAFETY: the test passes a number.
    unsafe { *data.cast::<u32>() += 1 }
}

#[test]
fn recorded_commands_run_when_their_graph_does() {
    let Some(work) = Work::new() else { return };
    let (list, target) = (work.setup.immediate(1, 2), work.setup.immediate(1, 2));
    let (_, [event, done]) = work.setup.events(1);
    assert_eq!((begin(list), is_recording(list), is_recording(target)), (0, true, false));
    assert_eq!(begin(list), ERROR_GRAPH_CAPTURE_UNSUPPORTED.0);
    work.launch(list, 0, event, &[]);
    work.launch(list, 1, null_mut(), &[event]);
    // Nothing runs, and no call waits for what does not run.
    assert_eq!(synchronize(list), ERROR_GRAPH_CAPTURE_UNSUPPORTED.0);
    assert_eq!(call!(zeEventHostSynchronize, event => Raw, u64::MAX => u64), ERROR_GRAPH_CAPTURE_UNSUPPORTED.0);
    let mut graph = null_mut();
    assert_eq!(call!(zeCommandListGetGraphExt, list => Raw, &mut graph => *mut Raw), 0);
    assert_eq!(instantiate(graph).0, ERROR_INVALID_GRAPH.0);
    assert_eq!(end(list), (0, graph));
    assert_eq!((is_recording(list), end(list).0), (false, ERROR_COMMAND_LIST_NOT_CAPTURING.0));
    assert_eq!(work.results(), [-1.0; 2]);
    let (mut primary, mut calls) = (null_mut(), 0_u32);
    assert_eq!(call!(zeGraphGetPrimaryCommandListExt, graph => Raw, &mut primary => *mut Raw), 0);
    assert_eq!((primary, call!(zeGraphIsEmptyExt, graph => Raw)), (list, QUERY_FALSE.0));
    let text = dot(graph);
    assert!(text.contains("[label=\"scale(pointer 0x") && text.contains("value 0x40000000"), "{text}");
    assert!(text.contains("n0 -> n1;") && text.starts_with("digraph"), "{text}");
    // Each execution runs both commands, also two of the same instance.
    let (result, executable) = instantiate(graph);
    assert_eq!(result, 0);
    for signal in [null_mut(), done] {
        work.clear();
        assert_eq!(call!(zeEventHostReset, event => Raw), 0);
        assert_eq!((append(target, executable, signal, &[]), synchronize(target)), (0, 0));
        assert_eq!(work.results(), [15.0, 35.0]);
    }
    assert_eq!(call!(zeEventQueryStatus, done => Raw), 0);
    assert_eq!([append(target, executable, null_mut(), &[done]), append(list, executable, null_mut(), &[])], [0; 2]);
    assert_eq!([synchronize(target), synchronize(list)], [0; 2]);
    let mut source = null_mut();
    assert_eq!(call!(zeExecutableGraphGetSourceGraphExt, executable => Raw, &mut source => *mut Raw), 0);
    assert_eq!(source, graph);
    let result = call!(zeGraphSetDestructionCallbackExt, graph => Raw, Some(count) => Option<unsafe extern "C" fn(*mut c_void)>,
        (&raw mut calls).cast() => *mut c_void, null() => *const c_void);
    assert_eq!(result, 0);
    assert_eq!(call!(zeExecutableGraphDestroyExt, executable => Raw), 0);
    assert_eq!((call!(zeGraphDestroyExt, graph => Raw), calls), (0, 1));
    assert_eq!(call!(zeGraphDestroyExt, graph => Raw), ERROR_INVALID_ARGUMENT.0);
}

#[test]
fn other_lists_join_by_waits() {
    let Some(work) = Work::new() else { return };
    let [first, second, other] = [(); 3].map(|()| work.setup.immediate(1, 2));
    let (_, [forked, joined, foreign]) = work.setup.events(1);
    let mut graph = null_mut();
    let created = call!(zeGraphCreateExt, work.setup.context => Raw, null() => *const c_void, &mut graph => *mut Raw);
    assert_eq!((created, call!(zeGraphIsEmptyExt, graph => Raw)), (0, QUERY_TRUE.0));
    let into = |list: Raw, graph: Raw| call!(zeCommandListBeginCaptureIntoGraphExt, list => Raw, graph => Raw, null() => *const c_void);
    assert_eq!(into(first, graph), 0);
    work.launch(first, 0, forked, &[]);
    work.launch(second, 1, joined, &[forked]);
    assert!(is_recording(second) && !is_recording(other));
    // Only the first list ends the recording; two recordings do not merge.
    assert_eq!(end(second).0, ERROR_COMMAND_LIST_NOT_CAPTURING.0);
    assert_eq!(begin(other), 0);
    work.launch(other, 0, foreign, &[]);
    assert_eq!(launch(first, work.kernels[0], 1, null_mut(), &[foreign]), ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT.0);
    let (result, more) = end(other);
    assert_eq!((result, call!(zeGraphDestroyExt, more => Raw)), (0, 0));
    assert_eq!(call!(zeCommandListAppendWaitOnEvents, first => Raw, 1 => u32, &joined => *const Raw), 0);
    assert_eq!((end(first), into(first, graph)), ((0, graph), ERROR_INVALID_ARGUMENT.0));
    assert!(!is_recording(second));
    let (result, executable) = instantiate(graph);
    assert_eq!((result, append(other, executable, null_mut(), &[]), synchronize(other)), (0, 0, 0));
    assert_eq!(work.results(), [15.0, 35.0]);
    // Without the wait, the graph is invalid.
    assert_eq!(
        [call!(zeEventHostReset, forked => Raw), call!(zeEventHostReset, joined => Raw), begin(first)],
        [0; 3]
    );
    work.launch(first, 0, forked, &[]);
    work.launch(second, 1, joined, &[forked]);
    let mut failed = null_mut();
    assert_eq!(call!(zeCommandListGetGraphExt, second => Raw, &mut failed => *mut Raw), 0);
    assert_eq!(end(first), (ERROR_GRAPH_UNJOINED_FORKS.0, null_mut()));
    assert_eq!(call!(zeGraphIsEmptyExt, failed => Raw), ERROR_INVALID_GRAPH.0);
    assert_eq!(instantiate(failed).0, ERROR_INVALID_GRAPH.0);
    assert!(!is_recording(first) && !is_recording(second));
    // Synchronous and recorded lists record no graph.
    assert_eq!(begin(work.setup.immediate(1, 1)), ERROR_INVALID_ARGUMENT.0);
    let (desc, mut list) = (CommandListDesc { stype: 0xf, ..Default::default() }, null_mut());
    let created = call!(zeCommandListCreate, work.setup.context => Raw, work.setup.device => Raw,
        &desc => *const CommandListDesc, &mut list => *mut Raw);
    assert_eq!((created, begin(list)), (0, ERROR_INVALID_COMMAND_LIST_TYPE.0));
}

#[test]
fn a_destroyed_list_ends_its_recording() {
    let Some(work) = Work::new() else { return };
    let [first, second] = [(); 2].map(|()| work.setup.immediate(1, 2));
    let (_, [event]) = work.setup.events(1);
    assert_eq!(begin(first), 0);
    work.launch(first, 0, event, &[]);
    work.launch(second, 1, null_mut(), &[event]);
    assert_eq!(call!(zeCommandListDestroy, first => Raw), 0);
    assert!(!is_recording(second));
    work.launch(second, 0, null_mut(), &[]);
    assert_eq!((synchronize(second), work.results()), (0, [15.0, -1.0]));
}
