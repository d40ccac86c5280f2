//! Goto, call and return as chapter 3 says them, against the machine's control flow: random
//! programs with random decisions. Here every channel that does not run stands at its place in a
//! table, and the rules are applied as they are written. Which channels an instruction sends where
//! is compared with its page, as all that instructions do.

use std::collections::BTreeMap;

use visakit_codegen::model::Model;
use visakit_emulator::machine::flow::{Callee, Flow, Next};

use super::Difference;
use super::pool::Random;

/// The chapter, and where it has the rules.
const CHAPTER: &str = "3_execution_model.md";
const RULES: &str = "1. **Forward**";

/// Programs that are tried.
const PROGRAMS: u32 = 3000;

/// Blocks of each that are executed.
const STEPS: u32 = 200;

/// What stands at the end of a block.
#[derive(Clone, Copy, Debug)]
enum Last {
    /// Nothing: the next block follows.
    Fall,
    /// A goto to the block.
    Goto(u32),
    /// A call of a subroutine, by its number.
    Call(usize),
    /// A return.
    Return,
}

/// Blocks of the main routine and of the two subroutines.
const ROUTINES: [(u32, u32); 3] = [(0, 14), (14, 22), (22, 28)];

/// A thread by the rules of chapter 3.
#[derive(Debug, Default)]
struct Thread {
    place: u32,
    running: u32,
    /// Where the others wait.
    waiting: BTreeMap<u32, u32>,
    /// For each open call: where the caller goes on, with which channels, and those that are still
    /// in the subroutine.
    calls: Vec<(u32, u32, u32)>,
}

impl Thread {
    /// Rule 4, and rule 3 before it where no channel is left.
    fn arrive(&mut self, behind: u32) {
        if self.running == 0
            && let Some((place, _)) = self.waiting.range(behind..).next()
        {
            self.place = *place;
        }
        self.running |= self.waiting.remove(&self.place).unwrap_or(0);
    }

    fn goto(&mut self, sent: u32, label: u32) {
        let behind = self.place + 1;
        if label >= behind {
            *self.waiting.entry(label).or_default() |= sent;
            self.running &= !sent;
            self.place = behind;
        } else if sent != 0 {
            *self.waiting.entry(behind).or_default() |= self.running & !sent;
            self.waiting.retain(|_, channels| *channels != 0);
            self.running = sent;
            self.place = label;
        } else {
            self.place = behind;
        }
        self.waiting.retain(|_, channels| *channels != 0);
        self.arrive(behind);
    }

    fn call(&mut self, entering: u32, start: u32) {
        if entering == 0 {
            self.place += 1;
        } else {
            self.calls.push((self.place + 1, self.running, entering));
            (self.place, self.running) = (start, entering);
        }
        self.arrive(self.place);
    }

    /// Whether the thread goes on.
    fn leave(&mut self, leaving: u32) -> bool {
        let behind = self.place + 1;
        self.running &= !leaving;
        let Some((back, before, inside)) = self.calls.pop() else {
            // Outside of a subroutine the kernel ends for these channels.
            self.place = behind;
            let ends = self.running == 0 && self.waiting.is_empty();
            self.arrive(behind);
            return !ends;
        };
        let inside = inside & !leaving;
        if inside == 0 {
            (self.place, self.running) = (back, before);
            self.arrive(back);
        } else {
            self.calls.push((back, before, inside));
            self.place = behind;
            self.arrive(behind);
        }
        true
    }
}

/// The ends of all blocks. Subroutines call later ones only.
fn program(random: &mut Random) -> Vec<Last> {
    let mut all = Vec::new();
    for (n, (first, end)) in ROUTINES.into_iter().enumerate() {
        for block in first..end {
            all.push(match random.below(8) {
                _ if block + 1 == end => Last::Return,
                0..4 => Last::Goto(first + random.below((end - first) as usize) as u32),
                4 if n < 2 => Last::Call(n + 1 + random.below(2 - n)),
                5 => Last::Return,
                _ => Last::Fall,
            });
        }
    }
    all
}

/// The first step at which the machine is elsewhere than chapter 3 says.
pub(super) fn compare(model: &Model) -> Option<Difference> {
    let mut random = Random(17);
    (0..PROGRAMS).find_map(|_| {
        let ends = program(&mut random);
        let [by_chapter, by_machine] = difference(&ends, &mut random)?;
        let page = model.pages.iter().find(|page| page.path == CHAPTER);
        let line = page.and_then(|page| page.text.lines().position(|line| line.starts_with(RULES)));
        Some(Difference {
            name: "control flow".to_owned(),
            text: format!("{ends:?}"),
            platform: "all platforms",
            mode: String::new(),
            channel: 0,
            inputs: Vec::new(),
            page: by_chapter,
            kernel: by_machine,
            file: CHAPTER.to_owned(),
            line: line.map_or(1, |line| line as u32 + 1),
        })
    })
}

/// Where the channels are by the chapter and by the machine, when these are two places.
fn difference(ends: &[Last], random: &mut Random) -> Option<[String; 2]> {
    let mut flow = Flow::new(ends.len() as u32, ROUTINES[0].1);
    let mut active = 0xffff;
    let mut thread = Thread { running: active, ..Thread::default() };
    for _ in 0..STEPS {
        active |= flow.join();
        if (flow.block, active) != (thread.place, thread.running) {
            let shown = |block: u32, channels: u32| format!("channels 0x{channels:x} in block {block}");
            return Some([shown(thread.place, thread.running), shown(flow.block, active)]);
        }
        let decided = [0, u32::MAX, random.next() as u32, random.next() as u32][random.below(4)] & active;
        let next = flow.block + 1;
        let goes_on = match ends[flow.block as usize] {
            Last::Fall => {
                flow.block = next;
                thread.place = next;
                thread.arrive(next);
                true
            }
            Last::Goto(label) => {
                active = flow.branch(active, decided, label, next);
                thread.goto(decided, label);
                true
            }
            Last::Call(n) => {
                thread.call(decided, ROUTINES[n].0);
                if decided == 0 {
                    flow.block = next;
                } else {
                    active = flow.call(active, decided, Callee { routine: ROUTINES[n], function: None }, next);
                }
                true
            }
            Last::Return => {
                // The last block of a routine ends it for all.
                let is_last = ROUTINES.iter().any(|(_, end)| *end == next);
                let leaving = if is_last { active } else { decided };
                let left = flow.leave(active, leaving, next);
                active = left.active;
                let goes_on = thread.leave(leaving);
                if (left.next == Next::End) == goes_on {
                    let shown = |goes_on: bool| if goes_on { "goes on" } else { "ends" }.to_owned();
                    return Some([shown(goes_on), shown(left.next != Next::End)]);
                }
                goes_on
            }
        };
        // A place outside of the program is nowhere for both.
        if !goes_on || thread.place as usize >= ends.len() && flow.block as usize >= ends.len() {
            return None;
        }
    }
    None
}
