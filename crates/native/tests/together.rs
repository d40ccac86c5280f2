//! Threads of a group that run together, from barrier to barrier.

use std::panic::{AssertUnwindSafe, catch_unwind};

use visakit_native::ir::{Behind, Block, End};
use visakit_native::{Code, Exit, Lent, Together};

mod common;

use common::{State, codes, count, nowhere};

/// Returns a loop with a barrier in each round.
fn blocks() -> Vec<Block> {
    let ([add, compare], again) = count();
    let end = End::Branch { mask: again, uniform: false, target: 0 };
    vec![
        Block { steps: vec![add], instructions: 2, end: End::Outside(Behind::Barrier) },
        Block { steps: vec![compare], instructions: 2, end },
        Block { steps: Vec::new(), instructions: 1, end: End::Outside(Behind::Others(0xffff)) },
    ]
}

/// Returns three threads with a number of rounds for each of their channels.
fn group(rounds: [fn(u32) -> u32; 3]) -> [State; 3] {
    rounds.map(|rounds| {
        let mut state = State::new(0xffff);
        state.put(0, rounds);
        state
    })
}

/// Runs the threads. Returns the result, the blocks of the threads, and their rounds.
fn run(code: &Code, threads: &mut [State; 3]) -> (Together, [u32; 3], [u32; 3]) {
    let (memory, mut blocks) = (nowhere(), [0; 3]);
    let mut lents: Vec<Lent<'_>> = threads.iter_mut().map(|state| state.lend(code, &memory)).collect();
    let together = Lent::run_together(&mut lents, &mut blocks);
    drop(lents);
    (together, blocks, threads.each_ref().map(|state| state.get_one(64)))
}

#[test]
fn threads_meet_in_each_round() {
    let left = |thread, block, have_ended| Together { thread, exit: Some(Exit::End { block }), have_ended };
    for code in codes(&blocks()) {
        let all = Together { thread: 3, exit: None, have_ended: true };
        assert_eq!(run(&code, &mut group([|_| 5; 3])), (all, [1; 3], [5; 3]));
        // The second thread ends while the others have more rounds.
        let found = run(&code, &mut group([|_| 5, |_| 3, |_| 5]));
        assert_eq!(found, (left(1, 2, false), [1; 3], [4, 3, 3]));
        // The first one ends: the second one arrives at a barrier that it will not pass.
        let found = run(&code, &mut group([|_| 3, |_| 5, |_| 3]));
        assert_eq!(found, (left(1, 0, true), [1; 3], [3, 4, 3]));
        // Some channels of the third one leave the loop.
        let found = run(&code, &mut group([|_| 5, |_| 5, |n| 2 + n]));
        assert_eq!(found, (left(2, 0, false), [1; 3], [3, 3, 2]));
        // The first one reaches the end of its time slice.
        let (found, ..) = run(&code, &mut group([|_| 1 << 20; 3]));
        assert_eq!(found, Together { thread: 0, exit: Some(Exit::Block(0)), have_ended: false });
        assert_eq!(Lent::run_together(&mut [], &mut []), Together::default());
    }
}

#[test]
fn a_thread_returns_from_a_barrier_when_it_runs_alone() {
    for code in codes(&blocks()) {
        let (mut states, memory) = (group([|_| 4, |_| 2, |_| 4]), nowhere());
        let mut lents: Vec<Lent<'_>> = states.iter_mut().map(|state| state.lend(&code, &memory)).collect();
        let together = Lent::run_together(&mut lents, &mut [0; 3]);
        assert_eq!((together.thread, together.have_ended), (1, false));
        assert_eq!(lents[0].progress().1, 10);
        assert_eq!(lents[0].run(1), Some(Exit::End { block: 0 }));
        // Only the first one has continued.
        assert_eq!(lents.iter().map(|lent| lent.progress().1).collect::<Vec<_>>(), [14, 9, 6]);
    }
}

#[test]
fn each_thread_needs_its_block() {
    for code in codes(&blocks()) {
        let (mut states, memory) = (group([|_| 4; 3]), nowhere());
        let mut lents: Vec<Lent<'_>> = states.iter_mut().map(|state| state.lend(&code, &memory)).collect();
        let run = AssertUnwindSafe(|| Lent::run_together(&mut lents, &mut [0; 2]));
        assert!(catch_unwind(run).is_err());
    }
}

#[test]
fn other_threads_begin_in_the_place_of_ended_ones() {
    for code in codes(&blocks()) {
        let (mut states, memory) = (group([|_| 4; 3]), nowhere());
        let mut lents: Vec<Lent<'_>> = states.iter_mut().map(|state| state.lend(&code, &memory)).collect();
        for rounds in [4, 7] {
            let together = Lent::run_together(&mut lents, &mut [0; 3]);
            assert!(together.have_ended && together.thread == 3);
            for lent in &mut lents {
                assert_eq!(lent.progress(), (0xffff, rounds * 4 + 1));
                lent.begin(0xffff, 1000, |registers| {
                    registers[..64].as_chunks_mut().0.fill(7_u32.to_le_bytes());
                    registers[64..128].fill(0);
                });
            }
        }
    }
}
