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
/// Longest turn in instructions: some milliseconds.
const LONG: u64 = 1 << 22;
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
    /// First turn of a thread, after its start or after a barrier.
    first: u64,
    /// True if a thread of the group has waited.
    has_waited: bool,
    /// True if a thread has not waited in this round.
    has_moved: bool,
    /// Number of rounds in a row in which all threads have waited, and the number after which each
    /// gets a turn.
    idle: u32,
    patience: u32,
}

impl Waits {
    /// Returns the turns of a program, which may have pauses. After `patience` rounds in which all
    /// threads have waited, each gets a turn.
    pub(super) fn new(has_pauses: bool, patience: u32) -> Self {
        Self {
            follows: !has_pauses,
            turns: Vec::new(),
            left: 0,
            each: 0,
            first: TURN,
            has_waited: false,
            has_moved: true,
            idle: 0,
            patience,
        }
    }

    /// Starts a group of threads, which probably wait if those of the last group did.
    pub(super) fn start(&mut self, threads: usize) {
        self.first = if std::mem::take(&mut self.has_waited) { SHORT } else { TURN };
        self.turns.clear();
        self.turns.resize(threads, self.first);
        (self.has_moved, self.idle) = (true, 0);
    }

    /// Starts a round. Returns the shortest turn if no thread waits. After some rounds in which all
    /// threads have waited, each gets a turn: they may change memory although their states recur.
    pub(super) fn begin_round(&mut self) -> Option<u64> {
        self.idle = if std::mem::take(&mut self.has_moved) { 0 } else { self.idle.saturating_add(1) };
        if self.idle > 0 && self.idle.is_multiple_of(self.patience + 1) {
            self.turns.fill(TURN);
        }
        self.turns.iter().copied().min().filter(|turn| *turn > 0)
    }

    /// Sets the next turn of each thread to a long one.
    pub(super) fn insist(&mut self) {
        self.turns.fill(LONG);
    }

    /// Returns true if all threads have waited in this round.
    pub(super) fn all(&self) -> bool {
        !self.has_moved
    }

    /// Returns true if all threads have waited in the round before this one too.
    pub(super) fn all_again(&self) -> bool {
        self.all() && self.idle > 0
    }

    /// Runs a thread for a turn by `run`, which takes the turn's length, unless the thread waits.
    pub(super) fn turn<E>(
        &mut self,
        (number, thread): (usize, &mut Thread),
        run: impl FnMut(&mut Thread, u64) -> Result<(Next, DebugLoc), E>,
    ) -> Result<(Next, DebugLoc), E> {
        let out = self.run(number, thread, run)?;
        if out.0 != Next::Pause {
            (self.turns[number], self.has_moved) = (self.first, true);
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
            (self.turns[number], self.has_moved) = (SHORT, true);
        }
        let turn = self.turns[number];
        let out = run(thread, turn)?;
        let is_full = out.0 == Next::Pause && turn == TURN;
        if out.0 != Next::Pause || !self.follows || is_full && self.left > 0 {
            self.has_moved = true;
            self.left = self.left.saturating_sub(u32::from(is_full));
            return Ok(out);
        }
        let (out, recurs) = recur(thread, FOLLOWED, |thread| run(thread, 1))?;
        if recurs {
            (self.first, self.has_waited) = (SHORT, true);
        }
        self.has_moved |= !recurs;
        self.turns[number] = if recurs { 0 } else { (turn * 4).min(TURN) };
        self.each = if recurs { 0 } else { (self.each * 2).clamp(1, RARELY) };
        self.left = self.each;
        Ok(out)
    }
}
