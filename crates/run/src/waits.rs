//! Threads of a group that wait for others in a loop, for a lock or for a flag.
//!
//! Such a thread would use its whole turn in vain. After a turn, a thread is therefore followed for
//! a few blocks: if its state recurs, it waits. It gets no turn until its state changes, and then
//! short ones first, since it will probably wait again.

use crate::endless::recur;
use visakit_kernels::code::DebugLoc;
use visakit_machine::flow::{Next, TURN};
use visakit_machine::thread::Thread;

/// Instructions for which a thread is followed.
const FOLLOWED: u64 = 1 << 10;
/// Shortest turn in instructions.
const SHORT: u64 = 1 << 10;
/// Largest number of full turns after which the next thread is followed.
const RARELY: u32 = 64;

/// Turns of a group's threads.
pub(super) struct Waits {
    /// True if threads may be followed. Those of programs with pauses end their turns there.
    follows: bool,
    /// Next turn of each thread in instructions; 0 if it waits.
    turns: Vec<u64>,
    /// Number of full turns until a thread is followed, and the number after that. Most threads
    /// never wait, and to copy a state takes time.
    left: u32,
    each: u32,
    /// True if a thread had a turn in this round.
    is_used: bool,
}

impl Waits {
    /// Returns the turns of a program, which may have pauses.
    pub(super) fn new(has_pauses: bool) -> Self {
        Self { follows: !has_pauses, turns: Vec::new(), left: 0, each: 0, is_used: false }
    }

    /// Starts a group of threads that do not wait.
    pub(super) fn start(&mut self, threads: usize) {
        self.turns.clear();
        self.turns.resize(threads, TURN);
    }

    /// Starts a round. Returns true if no thread has waited lately. If no thread had a turn in the
    /// last round, each gets one: they may change memory although their states recur.
    pub(super) fn begin_round(&mut self) -> bool {
        if !std::mem::take(&mut self.is_used) {
            self.turns.fill(TURN);
        }
        self.turns.iter().all(|turn| *turn == TURN)
    }

    /// Runs a thread for a turn by `run`, which takes the turn's length, unless the thread waits.
    pub(super) fn turn<E>(
        &mut self,
        (number, thread): (usize, &mut Thread),
        run: impl FnMut(&mut Thread, u64) -> Result<(Next, DebugLoc), E>,
    ) -> Result<(Next, DebugLoc), E> {
        let out = self.run(number, thread, run)?;
        if out.0 != Next::Pause {
            (self.turns[number], self.is_used) = (TURN, true);
        }
        Ok(out)
    }

    fn run<E>(
        &mut self,
        number: usize,
        thread: &mut Thread,
        mut run: impl FnMut(&mut Thread, u64) -> Result<(Next, DebugLoc), E>,
    ) -> Result<(Next, DebugLoc), E> {
        if self.turns[number] == 0 {
            let (out, recurs) = recur(thread, FOLLOWED, |thread| run(thread, 1))?;
            if recurs || out.0 != Next::Pause {
                return Ok(out);
            }
            self.turns[number] = SHORT;
        }
        self.is_used = true;
        let turn = self.turns[number];
        let out = run(thread, turn)?;
        if out.0 != Next::Pause || !self.follows {
            return Ok(out);
        }
        if turn == TURN && self.left > 0 {
            self.left -= 1;
            return Ok(out);
        }
        let (out, recurs) = recur(thread, FOLLOWED, |thread| run(thread, 1))?;
        self.turns[number] = if recurs { 0 } else { (turn * 4).min(TURN) };
        self.each = if recurs { 0 } else { (self.each * 2).clamp(1, RARELY) };
        self.left = self.each;
        Ok(out)
    }
}
