//! Arguments of image messages that several fields describe together: image, sampler and
//! parameters.

use visakit::isa::{InstructionGroup, LscAddrType, MediaModifier, predefined_sampler};
use visakit_codegen::model::semantics::{Call, Expression};
use visakit_codegen::model::{BitFieldKind, FieldKind, ListKind, Presence, SourceSpan};

use super::fields::field_of;
use super::messages::surface_of;
use super::{Binder, Field, Result};
use crate::builtins::Builtin;
use crate::convert::ones;
use crate::program::Node;
use crate::space::{Reach, Space};
use crate::value::Value;

impl Binder<'_> {
    /// Binds the first arguments of a built-in that refer to fields rather than to their numbers.
    /// Returns the nodes and the number of arguments that they replace.
    pub(super) fn leading(&mut self, builtin: Builtin, call: &Call) -> Result<(Vec<Node>, usize)> {
        use Builtin as B;
        let truth = |truth| Node::Value(Value::Truth(truth));
        Ok(match (builtin, call.arguments.as_slice()) {
            (B::Texel | B::SampleOf, [surface, ..]) => {
                // Typed messages without an image return an alpha of one, whatever the format.
                let opaque = !self.instruction.is_in(InstructionGroup::ZeroAlpha);
                (vec![self.image(surface)?, truth(opaque)], 1)
            }
            (B::Resinfo | B::Sampleinfo, [surface, ..]) => (vec![self.image(surface)?], 1),
            (B::Block, [surface, ..]) => {
                let modifiers = self.instruction.list().unwrap_or(MediaModifier::Nomod);
                let (distance, first) = match modifiers {
                    MediaModifier::Top | MediaModifier::TopMod => (2_u32, 0_u32),
                    MediaModifier::Bottom | MediaModifier::BottomMod => (2, 1),
                    MediaModifier::Nomod | MediaModifier::Modified => (1, 0),
                };
                let unsaid = self.instruction.is_in(InstructionGroup::MediaRead);
                let [distance, first] = [distance, first].map(|n| Node::Value(Value::integer(n)));
                (vec![self.image(surface)?, distance, first, truth(unsaid)], 1)
            }
            (B::Fused, [operand, count]) => (vec![self.fused(operand, count)?], 2),
            (B::Moved, [channels, ..]) => (self.moved(channels)?, 1),
            (B::PixelLod, [sampler, surface, channel, first]) => {
                let mut nodes = vec![self.sampler(sampler)?, self.image(surface)?, self.node(channel)?];
                let Node::Value(Value::Integer(first_number)) = self.node(first)? else {
                    return self.refuse("a parameter index that is not constant", first.at);
                };
                let parameters = self.parameters();
                let first = first_number.value.as_usize();
                nodes.extend((first..first + 3).map(|n| match parameters.get(n) {
                    Some(operand) => Node::Operand(*operand),
                    None => Node::Value(Value::integer(0_u32)),
                }));
                (nodes, 4)
            }
            (
                B::Sampled | B::Compared | B::Gathered | B::GatheredCompared | B::GradientLod | B::ClampedLod,
                [sampler, surface, ..],
            ) => (vec![self.sampler(sampler)?, self.image(surface)?], 2),
            (_, [first, ..]) => match self.first_argument(builtin, first)? {
                Some(nodes) => (nodes, 1),
                None => (Vec::new(), 0),
            },
            (_, []) => (Vec::new(), 0),
        })
    }

    /// Returns the image that a field names. On LSC pages, the address type and an operand name it.
    fn image(&mut self, e: &Expression) -> Result<Node> {
        self.touches.image = true;
        let Some(kind) = self.instruction.list::<LscAddrType>() else {
            // The text-only form names surface states by address.
            if self.instruction.says_text_only() {
                return self.refuse("an image by its address", e.at);
            }
            let Node::Value(Value::Integer(id)) = self.node(e)? else { return self.refuse("this surface", e.at) };
            let space = self.space(id.value.as_u32(), e.at)?;
            if !matches!(space, Space::Surface(_) | Space::State(_)) {
                return self.refuse("a surface that is not an image", e.at);
            }
            return Ok(self.image_at(space));
        };
        let Some(surface) = surface_of(self.instruction) else { return self.refuse("this surface", e.at) };
        let space = match kind {
            LscAddrType::Bti => Space::Entry(self.hidden(surface)?),
            LscAddrType::Bss => Space::Offset(self.hidden(surface)?),
            _ => return self.refuse("an image by an address of this kind", e.at),
        };
        Ok(self.image_at(space))
    }

    fn image_at(&mut self, space: Space) -> Node {
        if !self.images.contains(&space) {
            self.images.push(space);
        }
        Node::Space(Reach { space, bits: 32, unaligned: false })
    }

    /// Returns the sampler that a field names. An element of the state variables holds its index or
    /// the offset of its state.
    fn sampler(&mut self, e: &Expression) -> Result<Node> {
        self.touches.sampler = true;
        let id = match self.node(e)? {
            Node::Value(Value::Integer(id)) => id.value.as_u32(),
            _ => return self.refuse("this sampler", e.at),
        };
        let Some(element) = self.layout.sampler(id) else { return self.refuse("this sampler", e.at) };
        let space = match id == predefined_sampler::S31.0 {
            true => Space::State(element),
            false => Space::Surface(element),
        };
        if !self.samplers.contains(&space) {
            self.samplers.push(space);
        }
        Ok(Node::Space(Reach { space, bits: 32, unaligned: false }))
    }

    /// Returns for each colour whether a field of flags enables it.
    fn moved(&mut self, e: &Expression) -> Result<Vec<Node>> {
        let found = field_of(e).and_then(|(name, _)| {
            let form = self.form?;
            let bits = self.code(form, name, None)?;
            let FieldKind::List(id) = super::fields::shape(form, name)? else { return None };
            let ListKind::Parts(parts) = &self.model.list(id).kind else { return None };
            let flags = parts.iter().filter(|part| part.hi == part.lo).map(|part| {
                let code = bits >> part.lo & ones(1);
                match part.kind {
                    // The colours named in texts are the enabled ones.
                    BitFieldKind::Enumeration(id) => {
                        self.model.values(id).iter().any(|v| v.value == code && !v.text.is_empty())
                    }
                    _ => code == 1,
                }
            });
            Some(flags.map(|moved| Node::Value(Value::Truth(moved))).take(4).collect::<Vec<_>>())
        });
        match found.filter(|flags| flags.len() == 4) {
            Some(flags) => Ok(flags),
            None => self.refuse("these flags", e.at),
        }
    }

    /// Returns a node that is true if the parameters of a message have 16 bits each.
    pub(super) fn narrow_params(&self, at: SourceSpan) -> Result<Node> {
        match self.parameters().first() {
            Some(operand) => Ok(Node::Value(Value::Truth(self.operands[*operand].data_type.bits() == 16))),
            None => self.refuse("a message without parameters", at),
        }
    }

    /// Returns the operands of the repeated field.
    fn parameters(&self) -> Vec<usize> {
        let fields = self.form.map_or(&[][..], |form| &form.fields);
        let repeated = fields.iter().find(|field| matches!(field.presence, Presence::Times(_)));
        let field = repeated.and_then(|field| self.fields.get(&field.name.to_ascii_lowercase()));
        match field {
            Some(Field::Many(all)) => {
                all.iter().filter_map(|field| if let Field::Operand(n) = field { Some(*n) } else { None }).collect()
            }
            _ => Vec::new(),
        }
    }
}
