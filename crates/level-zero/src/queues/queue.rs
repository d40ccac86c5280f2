//! Queues and fences.

use std::sync::Arc;

use crate::base::handle::{Handle, kind};
use crate::base::result::*;
use crate::queues::completion::Completion;
use crate::queues::list::{CommandList, SYNCHRONOUS, Settings};
use crate::queues::timeline::{Step, Timeline};

/// Command queue of the API.
pub(crate) struct Queue {
    pub(crate) timeline: Arc<Timeline>,
    pub(crate) settings: Settings,
}

kind!(Queue);

/// Fence of the API.
pub(crate) struct Fence {
    pub(crate) completion: Arc<Completion>,
}

kind!(Fence);

impl Queue {
    /// Executes closed lists one after the other, and signals a fence.
    ///
    /// # Errors
    /// Fails for a signaled fence, without lists, and for open and immediate lists.
    pub(crate) fn execute(&self, lists: &[Handle<CommandList>], fence: Option<&Handle<Fence>>) -> Result {
        let is_signaled = fence.is_some_and(|fence| fence.completion.times().is_some());
        ensure(!is_signaled, ERROR_INVALID_SYNCHRONIZATION_OBJECT)?;
        ensure(!lists.is_empty(), ERROR_INVALID_SIZE)?;
        let mut steps = Vec::new();
        for list in lists {
            steps.extend(list.steps()?);
        }
        steps.extend(fence.map(|fence| Step::signal(Some(Arc::clone(&fence.completion)))));
        self.timeline.push(steps, self.settings.mode == SYNCHRONOUS)
    }
}
