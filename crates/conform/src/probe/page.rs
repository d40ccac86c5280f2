//! Probes for one page: a base instruction of each form and version, then variants that differ in
//! one fact.

use std::collections::BTreeSet;

use visakit_codegen::model::{FieldKind, Instruction, TextForm};

use super::across;
use super::probes::{Probe, Probes, form_name};
use super::statement::Statement;
use super::vary;
use crate::codec::{self, Seen, decode, hex};
use crate::expect::base::{base, newest_platform};
use crate::expect::meaning::{counted_by, exists_on, field, holds};
use crate::expect::rules::{self, Broken};
use crate::expect::sample::{EncodedSample, Sample, Value};
use crate::expect::text::{Printed, applies, print, read_back, templates};
use crate::finding::{Difference, Fact, Tally};
use visakit::isa;
use visakit::rt::{DecodeProblem, Version};

impl<'m> Probes<'m> {
    /// Probes all facts of a page.
    pub(crate) fn page(&self, page: &'m Instruction) -> Tally {
        let mut tally = Tally::default();
        if !self.opcode(page, &mut tally) {
            return tally;
        }
        let mut statements = Vec::new();
        for form in &page.forms {
            let versions: Vec<Version> =
                self.versions.iter().copied().filter(|v| holds(&form.versions, *v)).collect();
            // Probe the newest version first and in full.
            for (n, version) in versions.iter().rev().enumerate() {
                let sample = base(&self.world, page, form, *version);
                if self.is_broken(&sample) {
                    break;
                }
                let sample = self.settle(sample, &mut tally);
                let name = form_name(page, form);
                if !self.layout(&sample, &name, &mut tally) {
                    break;
                }
                let probe = Probe {
                    fact: Fact::new("field", format!("{name}@{version}"), form.at),
                    own: name.clone(),
                    refused: "layout",
                    sample: sample.clone(),
                    text: true,
                };
                let Some(sound) = self.probe(&probe, &BTreeSet::new(), &mut tally, &mut statements) else { break };
                if n > 0 {
                    continue;
                }
                let ignored = self.disputed(&sample);
                let all = vary::all(self, &sample, sound);
                for probe in &all.accepted {
                    if !self.is_broken(&probe.sample) {
                        self.probe(probe, &ignored, &mut tally, &mut statements);
                    }
                }
                across::probe(self, &sample, &mut tally);
                for refused in &all.refused {
                    self.refuse(refused, *version, &mut tally);
                }
                for (fact, sample, position, platforms) in &all.ends {
                    self.end(fact, sample, *position, platforms, &mut tally);
                }
                for (fact, sample, platforms) in &all.judged {
                    if !self.is_broken(sample) {
                        self.judge_on(fact, sample, platforms, &ignored, &mut tally);
                    }
                }
            }
        }
        self.parse(&statements, &mut tally);
        tally
    }

    /// Returns true if an instruction has an operand whose class has already failed.
    fn is_broken(&self, sample: &Sample<'_>) -> bool {
        let broken = |value: &Value| match value {
            Value::Operand(operand) => self.broken_kinds.contains(&self.world.operands.kind(operand)),
            _ => false,
        };
        (0..sample.values.len()).any(|at| sample.elements(at).iter().any(broken))
    }

    /// Checks that the opcode selects the page. If it does not, nothing else of the page can be
    /// probed.
    fn opcode(&self, page: &'m Instruction, tally: &mut Tally) -> bool {
        let newest = self
            .versions
            .iter()
            .rev()
            .find_map(|v| page.forms.iter().find(|f| holds(&f.versions, *v)).map(|form| (form, *v)));
        let Some((form, version)) = newest else { return false };
        let sample = base(&self.world, page, form, version);
        let kind = if page.sub_opcode.is_some() { "sub-opcode" } else { "opcode" };
        let code =
            page.sub_opcode.map_or(format!("0x{:02x}", page.opcode), |s| format!("0x{:02x} 0x{s:02x}", page.opcode));
        let fact = Fact::new(kind, format!("{}.{kind}", page.name), page.at);
        let got = match decode(&sample.encode(&self.world.operands).bytes, version) {
            Ok((instruction, _)) if instruction.page().name == page.name => None,
            Ok((instruction, _)) => Some(instruction.page().name.to_owned()),
            Err(error) => match error.problem() {
                DecodeProblem::UnknownOpcode(_)
                | DecodeProblem::UnknownSubOpcode { .. }
                | DecodeProblem::ReservedOpcode { .. } => Some(error.to_string()),
                _ if !["", page.name.as_str()].contains(&error.place().0) => Some(error.to_string()),
                _ => None,
            },
        };
        tally.probe(
            fact,
            match got {
                None => Ok(()),
                Some(got) => Err(Difference {
                    code: kind,
                    message: format!("decoding {code}"),
                    expected: page.name.clone(),
                    got,
                }),
            },
        )
    }

    /// Returns the rules on which validator and page already disagree for the base instruction.
    fn disputed(&self, sample: &Sample<'m>) -> BTreeSet<Broken> {
        let Ok((instruction, _)) = decode(&sample.encode(&self.world.operands).bytes, sample.version) else {
            return BTreeSet::new();
        };
        let expected = rules::broken(&self.world, sample, None);
        let got = codec::verdict(&instruction, &self.routine, None);
        expected.symmetric_difference(&got).copied().collect()
    }

    /// Probes decoding, fields, encoding, text and verdict. Returns `None` if decoding is wrong,
    /// otherwise true if the text is right.
    fn probe(
        &self,
        probe: &Probe<'m>,
        ignored: &BTreeSet<Broken>,
        tally: &mut Tally,
        statements: &mut Vec<Statement>,
    ) -> Option<bool> {
        let sample = &probe.sample;
        let written = sample.encode(&self.world.operands);
        let instruction = match self.read(probe, &written) {
            Ok(instruction) => instruction,
            Err((position, difference)) => {
                // A failure of the base instruction belongs to one of its fields.
                let field = position.filter(|_| probe.fact.kind == "field").and_then(|p| sample.form.fields.get(p));
                let fact = match field {
                    Some(field) => Fact::new("field", format!("{}.{}", probe.own, field.name), field.at),
                    None => probe.fact.clone(),
                };
                tally.fail(fact, difference);
                return None;
            }
        };
        tally.pass(probe.fact.clone());
        let platform = newest_platform(&self.world, sample.page);
        let fact = Fact { kind: "rule", path: probe.own.clone(), at: probe.fact.at };
        self.judge(&fact, sample, &instruction, None, ignored, tally);
        self.judge(&fact, sample, &instruction, platform, ignored, tally);
        // An illegal instruction may have no unique text: the parser refuses the text, or reads
        // another instruction.
        if !probe.text
            || !rules::broken(&self.world, sample, None).is_empty()
            || rules::is_guarded(&self.world, sample)
        {
            return Some(true);
        }
        let all = templates(sample);
        // The routine uses the oldest text revision.
        let usual = |t: &&&TextForm| t.text_only_operands(sample.form).next().is_none();
        let mut printing =
            all.iter().filter(usual).filter(|t| t.template.since.is_none() && applies(self.world.model, sample, t));
        let Some(printing) = printing.next() else {
            return Some(true);
        };
        let printed = print(&self.world, sample, printing);
        let sound = self.printed(&instruction, sample, &printed, probe, tally);
        for text in all.iter().filter(usual).filter(|t| applies(self.world.model, sample, t)) {
            let printed = print(&self.world, sample, text);
            if !printed.shows_operands(sample) {
                continue;
            }
            // The parser's frame reads templates without a keyword.
            let own_word =
                printed.text().trim_start_matches(['(', '!', ' ']).starts_with(|c: char| c.is_ascii_alphabetic());
            if !sound || !own_word || text.template.mnemonic().is_none() && labels(&text.template.source) {
                continue;
            }
            let expected = read_back(&self.world, sample, text, &printed);
            let is_base = probe.fact.kind == "field";
            let fact = match is_base {
                true => {
                    Fact::new("text-parsed", format!("{}.Text[{}]", sample.page.name, text.template.source), text.at)
                }
                false => Fact { kind: "text-parsed", path: probe.fact.path.clone(), at: probe.fact.at },
            };
            statements.push(Statement {
                fact,
                version: sample.version,
                since: text.template.since,
                template: text.template.source.clone(),
                is_base,
                text: printed.text(),
                bytes: expected.encode(&self.world.operands).bytes,
            });
        }
        Some(sound)
    }

    /// Decodes an instruction, compares every field, and encodes it again. The error names the
    /// wrong field, if known.
    fn read(
        &self,
        probe: &Probe<'m>,
        written: &EncodedSample,
    ) -> Result<isa::Instruction, (Option<usize>, Difference)> {
        let sample = &probe.sample;
        let bytes = &written.bytes;
        let failed = |code, expected: String, got: String| Difference {
            code,
            message: format!("{} in version {}, bytes {}", sample.page.name, sample.version, hex(bytes)),
            expected,
            got,
        };
        let (instruction, read) = decode(bytes, sample.version).map_err(|e| {
            let position = field(sample.form, e.place().1);
            let cut_off = matches!(e.problem(), DecodeProblem::Truncated { .. });
            let code = if cut_off { "field-width" } else { probe.refused };
            (position, failed(code, "an instruction".to_owned(), e.to_string()))
        })?;
        if instruction.page().name != sample.page.name {
            return Err((None, failed("opcode", sample.page.name.clone(), instruction.page().name.to_owned())));
        }
        let expected = self.fields(sample);
        let got = codec::fields(&instruction, sample.version);
        let wrong = (0..expected.len().max(got.len())).find(|n| expected.get(*n) != got.get(*n));
        if let Some(n) = wrong {
            let show = |one: Option<&(usize, Seen)>| match one {
                Some((position, seen)) => {
                    let name = sample.form.fields.get(*position).map_or("?", |f| f.name.as_str());
                    format!("{name} = {seen}")
                }
                None => "no more fields".to_owned(),
            };
            let code = match (expected.get(n), got.get(n)) {
                (None, _) | (_, None) => "presence",
                (Some((a, _)), Some((b, _))) if a != b => "presence",
                (Some(_), Some((at, seen))) if expected.iter().any(|(p, s)| p != at && s == seen) => "field-order",
                _ => "field-value",
            };
            let position = expected.get(n).map(|(position, _)| *position);
            return Err((position, failed(code, show(expected.get(n)), show(got.get(n)))));
        }
        if read != bytes.len() {
            return Err((None, failed("layout", format!("{} bytes", bytes.len()), format!("{read} bytes"))));
        }
        match codec::encode(&instruction, sample.version) {
            Ok(again) if again == *bytes => Ok(instruction),
            Ok(again) => Err((None, failed("encoded", hex(bytes), hex(&again)))),
            Err(error) => Err((None, failed("encoded", hex(bytes), error))),
        }
    }

    /// Returns the fields that the implementation should decode.
    pub(crate) fn fields(&self, sample: &Sample<'m>) -> Vec<(usize, Seen)> {
        let mut out = Vec::new();
        for (position, field) in sample.form.fields.iter().enumerate() {
            if let Some(counted) = counted_by(sample.form, position) {
                out.push((position, Seen::Bits(sample.elements(counted).len() as u64)));
            } else if !matches!(field.shape, FieldKind::Zero | FieldKind::Copy(_))
                && sample.present(self.world.model, position)
            {
                out.extend(sample.elements(position).iter().map(|value| match value {
                    Value::Operand(operand) => {
                        let mut bytes = Vec::new();
                        self.world.operands.encode(operand, sample.version, &mut bytes);
                        (position, Seen::Bytes(bytes))
                    }
                    other => (position, Seen::Bits(other.bits())),
                }));
            }
        }
        out
    }

    fn printed(
        &self,
        instruction: &isa::Instruction,
        sample: &Sample<'m>,
        printed: &Printed,
        probe: &Probe<'m>,
        tally: &mut Tally,
    ) -> bool {
        let expected = printed.text();
        let got = codec::print(instruction, &self.routine, sample.version);
        if got == expected {
            for piece in printed.pieces.iter().filter(|p| !p.text.trim().is_empty()) {
                tally.pass(Fact::new("text-printed", &piece.path, piece.at));
            }
            tally.pass(Fact { kind: "text-printed", path: probe.fact.path.clone(), at: probe.fact.at });
            return true;
        }
        let same = expected.bytes().zip(got.bytes()).take_while(|(a, b)| a == b).count();
        let fact = match printed.piece_at(same) {
            Some(piece) => Fact::new("text-printed", &piece.path, piece.at),
            None => Fact { kind: "text-printed", path: probe.fact.path.clone(), at: probe.fact.at },
        };
        let difference = Difference {
            code: "text-printed",
            message: format!("printing {} in version {}", sample.page.name, sample.version),
            expected: format!("`{expected}`"),
            got: format!("`{got}`"),
        };
        tally.fail(fact, difference);
        false
    }

    /// Checks that meaningless bytes are refused.
    fn refuse(&self, refused: &vary::Refused, version: Version, tally: &mut Tally) {
        let result = match decode(&refused.bytes, version) {
            Err(_) => Ok(()),
            Ok((instruction, _)) => {
                // The validator may refuse what the decoder accepts.
                match codec::verdict(&instruction, &self.routine, None).is_empty() || refused.strict {
                    false => Ok(()),
                    true => Err(Difference {
                        code: refused.code,
                        message: format!("decoding {}", hex(&refused.bytes)),
                        expected: "an error".to_owned(),
                        got: format!("`{}`", codec::print(&instruction, &self.routine, version)),
                    }),
                }
            }
        };
        tally.probe(refused.fact.clone(), result);
    }

    /// Probes the verdicts on an instruction for several platforms; `None` is independent of
    /// platforms.
    fn judge_on(
        &self,
        fact: &Fact,
        sample: &Sample<'m>,
        platforms: &[Option<usize>],
        ignored: &BTreeSet<Broken>,
        tally: &mut Tally,
    ) {
        if let Ok((instruction, _)) = decode(&sample.encode(&self.world.operands).bytes, sample.version) {
            for platform in platforms {
                self.judge(fact, sample, &instruction, *platform, ignored, tally);
            }
        }
    }

    fn judge(
        &self,
        fact: &Fact,
        sample: &Sample<'m>,
        instruction: &isa::Instruction,
        platform: Option<usize>,
        ignored: &BTreeSet<Broken>,
        tally: &mut Tally,
    ) {
        let known = match platform {
            None => None,
            Some(at) => match self.platforms.get(at).copied().flatten() {
                Some(known) => Some(known),
                // An unknown platform is a separate finding.
                None => return,
            },
        };
        let (expected, checks) = rules::violations(&self.world, sample, platform);
        checks.iter().for_each(|check| tally.violated(check));
        let got = codec::verdict(instruction, &self.routine, known);
        let different: Vec<&Broken> = expected
            .symmetric_difference(&got)
            .filter(|rule| !ignored.contains(rule) && concerns(fact.kind, rule.code))
            .collect();
        if different.is_empty() {
            tally.pass(fact.clone());
        }
        for rule in different {
            let accepted = expected.contains(rule);
            let place = platform.and_then(|p| self.world.model.platforms.get(p)).map_or("no platform", |p| &p.name);
            let say = |broken: bool| {
                let kind = if rule.warning { "a warning" } else { "an error" };
                let code = rule.code;
                if broken { format!("{kind} by rule `{code}`") } else { format!("not {kind} by rule `{code}`") }
            };
            let difference = Difference {
                code: rule_code(rule.code, accepted),
                message: format!(
                    "validating `{}` for {place}",
                    codec::print(instruction, &self.routine, sample.version)
                ),
                expected: say(accepted),
                got: say(!accepted),
            };
            tally.fail(fact.clone(), difference);
        }
    }

    /// Returns the platforms that have an instruction, oldest first.
    pub(crate) fn platforms_of(&self, page: &Instruction) -> Vec<usize> {
        (0..self.platforms.len()).filter(|p| exists_on(page, Some(*p))).collect()
    }
}

/// Returns true if a rule applies to a kind of facts. Other rules have separate findings.
fn concerns(kind: &str, rule: &str) -> bool {
    match kind {
        "modifier" => matches!(rule, "modifier" | "saturation"),
        "region" => rule == "region",
        "read-only" => rule == "read-only",
        "type-map" => rule == "type-map",
        "type" => matches!(rule, "type" | "type-map"),
        _ => rules::OF_PAGES.contains(&rule),
    }
}

/// Returns true if a template is that of a label.
fn labels(source: &str) -> bool {
    source.ends_with("label>:")
}

/// Returns the code of a rule's finding: an illegal instruction was accepted, or a legal one
/// refused.
fn rule_code(rule: &str, accepted: bool) -> &'static str {
    match (rule, accepted) {
        ("platform", true) => "platform-accepted",
        ("platform", false) => "platform-refused",
        ("value", true) => "only-accepted",
        ("value", false) => "only-refused",
        ("zero", true) => "zero-accepted",
        ("zero", false) => "zero-refused",
        ("range", true) => "range-accepted",
        ("range", false) => "range-refused",
        ("mask", true) => "mask-accepted",
        ("mask", false) => "mask-refused",
        ("class", true) => "class-accepted",
        ("class", false) => "class-refused",
        ("type", true) => "type-accepted",
        ("type", false) => "type-refused",
        ("type-map", true) => "type-map-accepted",
        ("type-map", false) => "type-map-refused",
        ("saturation", true) => "saturation-accepted",
        ("saturation", false) => "saturation-refused",
        ("modifier", true) => "modifier-accepted",
        ("modifier", false) => "modifier-refused",
        ("predicate", true) => "predicate-accepted",
        ("predicate", false) => "predicate-refused",
        ("constant", true) => "constant-accepted",
        ("constant", false) => "constant-refused",
        ("raw-place", true) => "raw-place-accepted",
        ("raw-place", false) => "raw-place-refused",
        ("read-only", true) => "read-only-accepted",
        ("read-only", false) => "read-only-refused",
        ("region", true) => "region-accepted",
        ("region", false) => "region-refused",
        (_, true) => "rule-missing",
        (_, false) => "rule-extra",
    }
}
