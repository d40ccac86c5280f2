//! Probes for the shape of an instruction: order and widths of its fields, and list values that the
//! implementation does not know.

use visakit_codegen::model::{FieldKind, Presence};

use super::probes::Probes;
use crate::codec::{self, decode, hex};
use crate::expect::meaning::{BitsKind, bits, field, meant, ones};
use crate::expect::rules;
use crate::expect::sample::{Sample, Value};
use crate::expect::text::value_path;
use crate::finding::{Difference, Fact, Tally};
use visakit::rt::DecodeProblem;

impl<'m> Probes<'m> {
    /// Probes the order and widths of fields: an instruction that is cut before a field must report
    /// that field as missing.
    pub(crate) fn layout(&self, sample: &Sample<'m>, name: &str, tally: &mut Tally) -> bool {
        let written = sample.encode(&self.world.operands);
        let fields = &sample.form.fields;
        for (position, start, end) in &written.fields {
            for cut in [*start, end - 1] {
                // The structure of an operand has its own probe; here its first byte marks its
                // start.
                if end == start || cut < *start {
                    continue;
                }
                let field = &fields[*position];
                let mut fact = Fact::new("layout", format!("{name}.{}", field.name), field.at);
                let expected = format!("{} at bytes {start} to {}", field.name, end - 1);
                let failed = |code, got: String| Difference {
                    code,
                    message: format!(
                        "reading {} bytes of an instruction of {} in version {}",
                        cut,
                        written.bytes.len(),
                        sample.version
                    ),
                    expected: expected.clone(),
                    got,
                };
                let result = match decode(&written.bytes[..cut], sample.version) {
                    Ok((_, read)) => {
                        let code = if cut == *start { "field-missing" } else { "field-width" };
                        Err(failed(code, format!("a complete instruction of {read} bytes")))
                    }
                    Err(error) => {
                        let (_, at) = error.place();
                        let cut_off = matches!(error.problem(), DecodeProblem::Truncated { .. });
                        if cut_off && at.eq_ignore_ascii_case(&field.name) {
                            Ok(())
                        } else if cut_off {
                            let found = fields.iter().position(|f| f.name.eq_ignore_ascii_case(at));
                            let before = written.fields.iter().rev().find(|(p, ..)| p < position).map(|(p, ..)| *p);
                            let absent = found.filter(|p| !sample.present(self.world.model, *p));
                            let (code, blamed) = match (found, cut == *start) {
                                (None, _) => ("field-extra", *position),
                                (Some(_), true) if absent.is_some() => ("presence", absent.unwrap_or(*position)),
                                (Some(_), true) if matches!(field.presence, Presence::If { .. }) => {
                                    ("presence", *position)
                                }
                                // The decoder still reads the previous field, so that field is too
                                // wide.
                                (Some(found), true) if before == Some(found) => ("field-width", found),
                                (Some(_), true) => ("field-order", *position),
                                (Some(_), false) => ("field-width", *position),
                            };
                            fact = Fact::new("layout", format!("{name}.{}", fields[blamed].name), fields[blamed].at);
                            Err(failed(code, format!("{at} missing at byte {}", error.offset())))
                        } else {
                            // A value before the cut is refused; the value probes report it.
                            Ok(())
                        }
                    }
                };
                if !tally.probe(fact, result) {
                    return false;
                }
            }
        }
        true
    }

    /// Returns the base instruction, with unknown list values replaced by known ones. A wrong value
    /// must not hide the rest of the page.
    pub(crate) fn settle(&self, mut sample: Sample<'m>, tally: &mut Tally) -> Sample<'m> {
        for _ in 0..8 {
            let Some(wrong) = self.wrong_field(&sample) else { break };
            let one = &sample.form.fields[wrong];
            let FieldKind::List(id) = one.shape else { break };
            let own = format!("{}.{}", sample.page.name, one.name);
            let now = sample.values[wrong].bits();
            let legal = rules::broken(&self.world, &sample, None);
            let mut better = None;
            for b in bits(self.world.model, id).iter().filter(|b| matches!(b.what, BitsKind::Values(_))) {
                for value in (0..=ones(b.width.min(8))).filter(|v| meant(self.world.model, b, *v)) {
                    let mut other = sample.clone();
                    other.values[wrong] = Value::Bits(b.set(now, value));
                    let mut same = rules::broken(&self.world, &other, None) == legal;
                    if let Some(selector) = sample.form.selector_at(wrong) {
                        same &= other.has(self.world.model, selector);
                    }
                    if same && better.is_none() && self.wrong_field(&other) != Some(wrong) {
                        let fact = Fact::new("enumerator", value_path(&own, b, b.of(now)), one.at);
                        better = Some((other, fact));
                    }
                }
            }
            let Some((other, fact)) = better else { break };
            tally.fail(
                fact,
                Difference {
                    code: "enumerator-missing",
                    message: format!("decoding {}", hex(&sample.encode(&self.world.operands).bytes)),
                    expected: "an instruction with the same value".to_owned(),
                    got: "another value or an error".to_owned(),
                },
            );
            sample = other;
        }
        sample
    }

    /// Returns the first field that the implementation refuses or decodes to another value.
    fn wrong_field(&self, sample: &Sample<'m>) -> Option<usize> {
        match decode(&sample.encode(&self.world.operands).bytes, sample.version) {
            Err(error) if matches!(error.problem(), DecodeProblem::Bits(_)) => field(sample.form, error.place().1),
            Err(_) => None,
            Ok((instruction, _)) => {
                let got = codec::fields(&instruction, sample.version);
                let expected = self.fields(sample);
                expected.iter().zip(&got).find(|(a, b)| a != b).map(|((position, _), _)| *position)
            }
        }
    }
}
