//! Comparison of goto, call and return between chapter 3 and the machine, for random programs with
//! random branch decisions. The model here keeps waiting channels in a table and applies the rules
//! as written. The comparison of pages checks which channels an instruction sends where.

use std::collections::BTreeMap;

use visakit_codegen::model::Model;
use visakit_emulator::machine::flow::{Callee, Flow, Next};

use super::Difference;
use super::pool::Random;

/// Page of the chapter, and the text at which its rules begin.
const CHAPTER: &str = "3_execution_model.md";
const RULES: &str = "1. **Forward**";

/// Number of programs to try.
const PROGRAMS: u32 = 3000;

/// Maximum number of blocks to execute per program.
const STEPS: u32 = 200;

/// Instruction at the end of a block.
#[derive(Clone, Copy, Debug)]
enum Last {
    /// No instruction: execution continues with the next block.
    Fall,
    /// Goto to a block.
    Goto(u32),
    /// Call of a subroutine, by its number.
    Call(usize),
    /// Return.
    Return,
}

/// Block ranges of the main routine and of the two subroutines.
const ROUTINES: [(u32, u32); 3] = [(0, 14), (14, 22), (22, 28)];

/// Thread that follows the rules of chapter 3.
#[derive(Debug, Default)]
struct Thread {
    place: u32,
    running: u32,
    /// Waiting channels by the block where they wait.
    waiting: BTreeMap<u32, u32>,
    /// Open calls: return block, channels before the call, and channels still in the subroutine.
    calls: Vec<(u32, u32, u32)>,
}

impl Thread {
    /// Applies rule 4; if no channel is running, applies rule 3 first.
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

    /// Executes a return. Returns true if the thread continues.
    fn leave(&mut self, leaving: u32) -> bool {
        let behind = self.place + 1;
        self.running &= !leaving;
        let Some((back, before, inside)) = self.calls.pop() else {
            // Outside a subroutine, a return ends the kernel for these channels.
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

/// Returns random block ends. A subroutine calls only later subroutines.
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

/// Returns the first step at which machine and chapter 3 disagree about the position.
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

/// Returns the positions of the channels in chapter and machine, if they differ.
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
                // The last block of a routine returns for all channels.
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
        // All positions outside the program are equivalent.
        if !goes_on || thread.place as usize >= ends.len() && flow.block as usize >= ends.len() {
            return None;
        }
    }
    None
}
