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
    /// First turn of a thread, after its start or after a barrier.
    first: u64,
    /// True if a thread of the group has waited.
    has_waited: bool,
    /// True if a thread had a turn in this round, or has reached a barrier or its end.
    is_used: bool,
    /// Number of rounds in which all threads have waited, and the number after which each gets a
    /// turn.
    rounds: u32,
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
            is_used: true,
            rounds: 0,
            patience,
        }
    }

    /// Starts a group of threads, which probably wait if those of the last group did.
    pub(super) fn start(&mut self, threads: usize) {
        self.first = if std::mem::take(&mut self.has_waited) { SHORT } else { TURN };
        self.turns.clear();
        self.turns.resize(threads, self.first);
        (self.is_used, self.rounds) = (true, 0);
    }

    /// Starts a round. Returns the shortest turn if no thread waits. After some rounds in which all
    /// threads have waited, each gets a turn: they may change memory although their states recur.
    pub(super) fn begin_round(&mut self) -> Option<u64> {
        self.rounds = if std::mem::take(&mut self.is_used) { 0 } else { self.rounds + 1 };
        if self.rounds >= self.patience {
            self.rounds = 0;
            self.turns.fill(TURN);
        }
        self.turns.iter().copied().min().filter(|turn| *turn > 0)
    }

    /// Returns true if all threads have waited in this round.
    pub(super) fn all(&self) -> bool {
        !self.is_used
    }

    /// Runs a thread for a turn by `run`, which takes the turn's length, unless the thread waits.
    pub(super) fn turn<E>(
        &mut self,
        (number, thread): (usize, &mut Thread),
        run: impl FnMut(&mut Thread, u64) -> Result<(Next, DebugLoc), E>,
    ) -> Result<(Next, DebugLoc), E> {
        let out = self.run(number, thread, run)?;
        if out.0 != Next::Pause {
            (self.turns[number], self.is_used) = (self.first, true);
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
        if recurs {
            (self.first, self.has_waited) = (SHORT, true);
        }
        self.turns[number] = if recurs { 0 } else { (turn * 4).min(TURN) };
        self.each = if recurs { 0 } else { (self.each * 2).clamp(1, RARELY) };
        self.left = self.each;
        Ok(out)
    }
}
