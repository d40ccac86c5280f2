//! Entry points that record and replay graphs.

use std::ffi::c_void;
use std::sync::Arc;

use visakit_runtime::base::raw::{In, Out, Text, UserData};

use crate::api::entry::{Raw, events, functions};
use crate::base::chain::write;
use crate::base::handle::{self, Handle, address, destroy, get};
use crate::base::result::*;
use crate::queues::graph::{self, Destroyed, Executable, Graph};
use crate::queues::list::{CommandList, SYNCHRONOUS};

/// Returns an immediate list that can record a graph.
fn recorder(list: Raw) -> Result<Handle<CommandList>> {
    let list = get::<CommandList>(list)?;
    ensure(list.immediate.is_some(), ERROR_INVALID_COMMAND_LIST_TYPE)?;
    ensure(list.settings.mode != SYNCHRONOUS, ERROR_INVALID_ARGUMENT)?;
    Ok(list)
}

/// Answers a question.
fn answer(is_true: bool) -> Result {
    Err(if is_true { QUERY_TRUE } else { QUERY_FALSE })
}

functions! {
    fn zeGraphCreateExt(context: Raw, _next: In<c_void>, graph: Out<Raw>) {
        let context = get(context)?;
        ensure(!graph.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(graph, handle::give(handle::create(Graph::new(&context))))
    }

    fn zeCommandListBeginGraphCaptureExt(list: Raw, _next: In<c_void>) {
        let list = recorder(list)?;
        let graph = handle::create(Graph::new(&list.context));
        graph::begin(&graph, list.id, address(&list) as usize)?;
        handle::give(graph);
        Ok(())
    }

    fn zeCommandListBeginCaptureIntoGraphExt(list: Raw, graph: Raw, _next: In<c_void>) {
        let (list, graph): (_, Handle<Graph>) = (recorder(list)?, get(graph)?);
        ensure(Arc::ptr_eq(&list.context, &graph.context), ERROR_INVALID_ARGUMENT)?;
        graph::begin(&graph, list.id, address(&list) as usize)
    }

    fn zeCommandListIsGraphCaptureEnabledExt(list: Raw) {
        answer(graph::of_list(get::<CommandList>(list)?.id).is_some())
    }

    fn zeCommandListEndGraphCaptureExt(list: Raw, _next: In<c_void>, graph: Out<Raw>) {
        let list = get::<CommandList>(list)?;
        ensure(!graph.is_null(), ERROR_INVALID_NULL_POINTER)?;
        graph.put(std::ptr::null_mut());
        write(graph, address(&graph::end(list.id)?))
    }

    fn zeCommandListGetGraphExt(list: Raw, graph: Out<Raw>) {
        let list = get::<CommandList>(list)?;
        ensure(!graph.is_null(), ERROR_INVALID_NULL_POINTER)?;
        graph.put(std::ptr::null_mut());
        write(graph, address(&graph::of_list(list.id).ok_or(ERROR_COMMAND_LIST_NOT_CAPTURING)?))
    }

    fn zeGraphGetPrimaryCommandListExt(graph: Raw, list: Out<Raw>) {
        write(list, get::<Graph>(graph)?.primary()? as Raw)
    }

    fn zeGraphSetDestructionCallbackExt(
        graph: Raw,
        call: Option<Destroyed>,
        data: *mut c_void,
        _next: In<c_void>,
    ) {
        let graph = get::<Graph>(graph)?;
        graph.on_destruction(call.ok_or(ERROR_INVALID_NULL_POINTER)?, UserData(data));
        Ok(())
    }

    fn zeGraphInstantiateExt(graph: Raw, _next: In<c_void>, executable: Out<Raw>) {
        let graph = get(graph)?;
        ensure(!executable.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(executable, handle::give(handle::create(Executable::new(&graph)?)))
    }

    fn zeCommandListAppendGraphExt(
        list: Raw,
        graph: Raw,
        _next: In<c_void>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        let (list, executable): (Handle<CommandList>, Handle<Executable>) = (get(list)?, get(graph)?);
        ensure(list.immediate.is_some(), ERROR_INVALID_COMMAND_LIST_TYPE)?;
        list.check_executes()?;
        let events = events(signal, count, waits)?;
        list.append_steps(events.signal.as_ref(), &events.waits, executable.execution())
    }

    fn zeExecutableGraphGetSourceGraphExt(executable: Raw, graph: Out<Raw>) {
        write(graph, address(&get::<Executable>(executable)?.source))
    }

    fn zeGraphIsEmptyExt(graph: Raw) {
        answer(get::<Graph>(graph)?.is_empty()?)
    }

    fn zeGraphDumpContentsExt(graph: Raw, path: Text, _next: In<c_void>) {
        let graph = get::<Graph>(graph)?;
        ensure(!path.is_null(), ERROR_INVALID_NULL_POINTER)?;
        std::fs::write(path.get(), graph.dot()).map_err(|_| ERROR_INVALID_ARGUMENT)
    }

    fn zeExecutableGraphDestroyExt(executable: Raw) {
        destroy::<Executable>(executable)
    }

    fn zeGraphDestroyExt(graph: Raw) {
        let own = get::<Graph>(graph)?;
        destroy::<Graph>(graph)?;
        own.destroyed();
        Ok(())
    }
}
