//! Control flow of a thread: the program position of its channels.
//!
//! The program is cut into basic blocks, numbered in program order. All active channels are in the
//! same block. Channels that branch forward wait at their target block. They join when execution
//! arrives at that block; when no channel is active, execution goes to the nearest block with
//! waiting channels (3_execution_model.md, "Branch Instructions").

use std::ops::Range;

/// Turn of a thread in instructions, after which others run.
pub const TURN: u64 = 1 << 16;
/// Instructions that are left of a turn when a pause ends it. Threads pause before they try to take
/// a lock, but not while they hold one, so that a turn should end here.
pub const PAUSE: u64 = TURN - (1 << 10);

/// Action of a thread after a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Continue with the current block.
    Run,
    /// Wait for the other threads of the group, then continue.
    Barrier,
    /// Wait for the paired thread, then execute the n-th two-thread operation with it.
    Exchange(u32),
    /// Wait until all threads have signalled a barrier: a named one, or the group's (`None`).
    Wait(Option<u32>),
    /// Yield to other threads after a time slice.
    Pause,
    /// End the thread.
    End,
}

/// A call that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    /// Return block.
    back: u32,
    /// Channels that were active at the call.
    active: u32,
    /// The caller's blocks: the first, and the end (exclusive).
    routine: (u32, u32),
    /// Index of the called function; `None` for a subroutine.
    function: Option<usize>,
}

/// Target of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callee {
    /// The routine's blocks: the first, and the end (exclusive).
    pub routine: (u32, u32),
    /// Index of the function; `None` for a subroutine.
    pub function: Option<usize>,
}

/// Result of leaving a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// Next action of the thread.
    pub next: Next,
    /// Active channels.
    pub active: u32,
    /// Index of the function that the last channel has left, if any.
    pub function: Option<usize>,
}

/// Waiting channels of a part of the program, as pairs of a block and a channel mask.
pub type Waiting = Vec<(u32, u32)>;

/// Control state of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Current block.
    pub block: u32,
    /// The current subroutine's blocks: the first, and the end (exclusive).
    routine: (u32, u32),
    /// For each block, the mask of channels that wait for execution to arrive.
    waiting: Vec<u32>,
    /// Bit set of the blocks at which channels wait.
    occupied: Vec<u64>,
    frames: Vec<Frame>,
    /// Number of blocks with saved waiting channels.
    aside: usize,
}

impl Flow {
    /// Returns the state at the entry of a program of `blocks` blocks, whose main routine has the
    /// first `main` blocks.
    #[inline]
    pub fn new(blocks: u32, main: u32) -> Self {
        Self {
            block: 0,
            routine: (0, main),
            waiting: vec![0; blocks as usize + 1],
            occupied: vec![0; (blocks as usize + 1).div_ceil(64)],
            frames: Vec::new(),
            aside: 0,
        }
    }

    /// Resets the state to the program entry.
    #[inline]
    pub fn restart(&mut self, main: u32) {
        self.block = 0;
        self.routine = (0, main);
        for (blocks, occupied) in self.waiting.chunks_mut(64).zip(&mut self.occupied) {
            if std::mem::take(occupied) != 0 {
                blocks.fill(0);
            }
        }
        self.frames.clear();
        self.aside = 0;
    }

    /// Returns the waiting channels of each block, and the bits of the blocks with waiting
    /// channels.
    #[inline]
    pub fn tables(&mut self) -> (&mut [u32], &mut [u64]) {
        (&mut self.waiting, &mut self.occupied)
    }

    /// Returns true if channels wait at any block, so that control flow is divergent.
    #[inline]
    pub fn is_divergent(&self) -> bool {
        self.aside != 0 || self.occupied.iter().any(|&word| word != 0)
    }

    /// Returns true if the program ends when the active channels leave: no other channels wait, and
    /// no call is open.
    #[inline(always)]
    pub fn is_last(&self) -> bool {
        self.frames.is_empty() && !self.is_divergent()
    }

    /// Returns the number of calls that have not returned.
    #[inline]
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Takes the channels that wait at the current block.
    #[inline(always)]
    pub fn join(&mut self) -> u32 {
        let block = self.block as usize;
        let waiting = self.waiting[block];
        if waiting != 0 {
            self.waiting[block] = 0;
            self.occupied[block / 64] &= !(1 << (block % 64));
        }
        waiting
    }

    fn wait(&mut self, block: u32, channels: u32) {
        if channels != 0 {
            self.waiting[block as usize] |= channels;
            self.occupied[block as usize / 64] |= 1 << (block % 64);
        }
    }

    /// Returns the first block from `from` in the current subroutine at which channels wait.
    fn next_occupied(&self, from: u32) -> Option<u32> {
        let (first, end) = (from as usize, self.routine.1 as usize);
        let mut word = first / 64;
        let mut bits = self.occupied.get(word)? & u64::MAX << (first % 64);
        loop {
            if bits != 0 {
                let block = word * 64 + bits.trailing_zeros() as usize;
                return (block < end).then_some(block as u32);
            }
            word += 1;
            if word * 64 >= end {
                return None;
            }
            bits = *self.occupied.get(word)?;
        }
    }

    /// Branches with `taken`, a possibly empty subset of the active channels, to block `target`.
    /// `next` is the block after the branch. Sets the current block and returns the channels active
    /// in it.
    #[inline]
    pub fn branch(&mut self, active: u32, taken: u32, target: u32, next: u32) -> u32 {
        if taken == 0 {
            self.block = next;
            return active;
        }
        if target < next {
            // Backward branch: the other channels wait after the loop.
            self.wait(next, active & !taken);
            self.block = target;
            return taken;
        }
        let rest = active & !taken;
        if rest == 0 && self.next_occupied(next).is_none_or(|block| block >= target) {
            self.block = target;
            return taken;
        }
        self.wait(target, taken);
        if rest != 0 {
            self.block = next;
            return rest;
        }
        // No channel falls through: continue at the next block with waiting channels, at the latest
        // at the target.
        self.block = self.next_occupied(next).unwrap_or(target);
        0
    }

    /// Moves all active channels to block `target`, past any waiting channels on the way.
    #[inline]
    pub fn jump(&mut self, target: u32) {
        self.block = target;
    }

    /// Calls a routine with `taken`, a non-empty subset of the active channels. Returns the
    /// channels active in the callee.
    #[inline]
    pub fn call(&mut self, active: u32, taken: u32, callee: Callee, back: u32) -> u32 {
        self.frames.push(Frame { back, active, routine: self.routine, function: callee.function });
        self.routine = callee.routine;
        self.block = callee.routine.0;
        taken
    }

    /// Takes out the channels that wait in `blocks`, for [`Flow::take_back`].
    pub fn put_aside(&mut self, blocks: Range<u32>) -> Waiting {
        let mut waiting = Vec::new();
        for block in blocks.start..blocks.end {
            let channels = std::mem::take(&mut self.waiting[block as usize]);
            if channels != 0 {
                self.occupied[block as usize / 64] &= !(1 << (block % 64));
                waiting.push((block, channels));
            }
        }
        self.aside += waiting.len();
        waiting
    }

    /// Restores waiting channels from [`Flow::put_aside`].
    #[inline]
    pub fn take_back(&mut self, waiting: Waiting) {
        self.aside -= waiting.len();
        for (block, channels) in waiting {
            self.wait(block, channels);
        }
    }

    /// Ends the routine, or the program, for `leaving`, a subset of the active channels. `next` is
    /// the following block.
    #[inline]
    pub fn leave(&mut self, active: u32, leaving: u32, next: u32) -> Left {
        let rest = active & !leaving;
        if rest != 0 {
            self.block = next;
            return Left { next: Next::Run, active: rest, function: None };
        }
        if let Some(block) = self.next_occupied(self.routine.0) {
            self.block = block;
            return Left { next: Next::Run, active: 0, function: None };
        }
        match self.frames.pop() {
            Some(frame) => {
                self.block = frame.back;
                self.routine = frame.routine;
                Left { next: Next::Run, active: frame.active, function: frame.function }
            }
            None => Left { next: Next::End, active: 0, function: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forward_branches_wait_at_their_label() {
        let mut flow = Flow::new(4, 4);
        // if (0b0011) … else …: block 0 branches to 2, block 1 to 3.
        let active = flow.branch(0b1111, 0b1100, 2, 1);
        assert_eq!((flow.block, active), (1, 0b0011));
        let active = flow.branch(active, 0b0011, 3, 2);
        assert_eq!((flow.block, active | flow.join()), (2, 0b1100));
        assert!(flow.is_divergent());
        flow.block = 3;
        assert_eq!(flow.join(), 0b0011);
        assert!(!flow.is_divergent());
    }

    #[test]
    fn a_uniform_branch_stops_where_others_wait() {
        let mut flow = Flow::new(4, 4);
        let active = flow.branch(0b11, 0b10, 2, 1);
        // The other channel branches to 3, past block 2 where channel 1 waits.
        let active = flow.branch(active, active, 3, 2);
        assert_eq!((flow.block, active, flow.join()), (2, 0, 0b10));
    }

    #[test]
    fn backward_branches_leave_the_others_behind_the_loop() {
        let mut flow = Flow::new(3, 3);
        flow.block = 1;
        let active = flow.branch(0b111, 0b101, 1, 2);
        assert_eq!((flow.block, active), (1, 0b101));
        let active = flow.branch(active, 0, 1, 2);
        assert_eq!((flow.block, active | flow.join()), (2, 0b111));
    }

    #[test]
    fn subroutines_return_when_the_last_channel_leaves() {
        let mut flow = Flow::new(200, 100);
        let left = |next, active| Left { next, active, function: None };
        let active = flow.call(0b1111, 0b0111, Callee { routine: (100, 200), function: None }, 7);
        assert_eq!((flow.block, active, flow.depth()), (100, 0b0111, 1));
        let active = flow.branch(active, 0b0100, 199, 101);
        assert_eq!(flow.leave(active, 0b0001, 102), left(Next::Run, 0b0010));
        assert_eq!(flow.leave(0b0010, 0b0010, 102), left(Next::Run, 0));
        assert_eq!((flow.block, flow.join()), (199, 0b0100));
        assert_eq!(flow.leave(0b0100, 0b0100, 200), left(Next::Run, 0b1111));
        assert_eq!((flow.block, flow.depth()), (7, 0));
        assert_eq!(flow.leave(0b1111, 0b1111, 8), left(Next::End, 0));
    }
}
