//! Where the channels of a thread are in the program.
//!
//! The program is cut into blocks, numbered in program order. All active channels are in the same
//! block. Channels that branched to a later place wait there: they join when execution arrives, and
//! execution goes to the nearest such place whenever no channel is active (3_execution_model.md,
//! "Branch Instructions").

use std::ops::Range;

/// What a thread does after a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It continues with the current block.
    Run,
    /// It waits for the other threads of its group, then continues.
    Barrier,
    /// It waits for its neighbour, then both do the n-th operation for two threads.
    Exchange(u32),
    /// It waits until all threads of a barrier have signalled: a named one, or that of the group.
    Wait(Option<u32>),
    /// It has run for a while, and others have their turn.
    Pause,
    /// It has ended.
    End,
}

/// A call that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    /// Block to continue with.
    back: u32,
    /// Channels that were active at the call.
    active: u32,
    /// First and last block of the calling subroutine.
    routine: (u32, u32),
    /// The function that was called, if it was one.
    function: Option<usize>,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callee {
    /// Its first block, and the one behind its last.
    pub routine: (u32, u32),
    /// Which function it is; none for a subroutine.
    pub function: Option<usize>,
}

/// What is left when channels have left a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// What the thread does then.
    pub next: Next,
    /// The channels that are active.
    pub active: u32,
    /// The function that the last channel has left, if it was one.
    pub function: Option<usize>,
}

/// Channels that wait in a part of the program: blocks with channels.
pub type Waiting = Vec<(u32, u32)>;

/// The control state of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// The block that is executed now.
    pub block: u32,
    /// First block of the subroutine, and the one behind its last.
    routine: (u32, u32),
    /// For each block, the channels that wait for execution to arrive there.
    waiting: Vec<u32>,
    /// One bit for each block: whether any channel waits there.
    occupied: Vec<u64>,
    frames: Vec<Frame>,
    /// How many blocks with waiting channels are put aside.
    aside: usize,
}

impl Flow {
    /// At the beginning of a program of `blocks` blocks whose main routine has the first `main` of
    /// them.
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

    /// Back to the beginning.
    #[inline]
    pub fn restart(&mut self, main: u32) {
        self.block = 0;
        self.routine = (0, main);
        self.waiting.fill(0);
        self.occupied.fill(0);
        self.frames.clear();
        self.aside = 0;
    }

    /// For each block, the channels that wait there, and one bit for each block where any do.
    #[inline]
    pub fn tables(&mut self) -> (&mut [u32], &mut [u64]) {
        (&mut self.waiting, &mut self.occupied)
    }

    /// Whether channels wait anywhere: control flow is divergent.
    #[inline]
    pub fn is_divergent(&self) -> bool {
        self.aside != 0 || self.occupied.iter().any(|&word| word != 0)
    }

    /// Whether the program ends when those channels leave that are active now: no others wait, and
    /// nothing was called.
    #[inline(always)]
    pub fn is_last(&self) -> bool {
        self.frames.is_empty() && !self.is_divergent()
    }

    /// How many calls have not returned.
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

    /// The first block from `from` on where channels wait, within the current subroutine.
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

    /// Branches with some of the active channels (`taken`, possibly none) to block `target`; `next`
    /// is the block behind the branch. Gives the channels that are active then, at the block that
    /// is then the current one.
    #[inline]
    pub fn branch(&mut self, active: u32, taken: u32, target: u32, next: u32) -> u32 {
        if taken == 0 {
            self.block = next;
            return active;
        }
        if target < next {
            // Backwards: those that do not branch wait behind the loop.
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
        // No channel is left here: on to the next place where some wait, at the latest the target.
        self.block = self.next_occupied(next).unwrap_or(target);
        0
    }

    /// Goes to block `target` with all active channels, past any that wait on the way.
    #[inline]
    pub fn jump(&mut self, target: u32) {
        self.block = target;
    }

    /// Calls something with `taken` of the active channels, at least one; gives those that are
    /// active then.
    #[inline]
    pub fn call(&mut self, active: u32, taken: u32, callee: Callee, back: u32) -> u32 {
        self.frames.push(Frame { back, active, routine: self.routine, function: callee.function });
        self.routine = callee.routine;
        self.block = callee.routine.0;
        taken
    }

    /// Takes out the channels that wait in some blocks, for [`Flow::take_back`].
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

    /// Lets channels wait again where they did.
    #[inline]
    pub fn take_back(&mut self, waiting: Waiting) {
        self.aside -= waiting.len();
        for (block, channels) in waiting {
            self.wait(block, channels);
        }
    }

    /// Ends the routine, or the program, for `leaving` of the active channels; `next` is the block
    /// behind.
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
        // The rest wants to go to 3, past 2 where channel 1 waits.
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
