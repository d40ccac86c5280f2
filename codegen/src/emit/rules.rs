//! Emission of the rows of verification.md as `static` data. A row of conditions is emitted once,
//! and its conditions in postfix order on every form of an instruction.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{Cx, type_name, variant_name};
use crate::model::semantics::{BinaryOperator, UnaryOperator};
use crate::model::{Acceptance, EachOperand, Form, Instruction};
use crate::semantics::{self, Node, lower, lower_accepted, row};

/// Emits the built-ins and the rows.
pub(crate) fn emit(cx: &Cx<'_>) -> TokenStream {
    let builtins = cx.model.rule_builtins.iter().map(|b| {
        let (name, doc) = (type_name(&b.name), cx.doc(&b.doc, &b.name, b.at));
        quote!(#doc #name)
    });
    let rows = cx.model.constraints.iter().map(|c| {
        let (name, finding, warning, message) = (&c.name, &c.finding, c.warning, &c.doc);
        let platforms = c.platforms.iter().map(|m| cx.platform_range(m));
        let (origin, each) = (cx.origin(c.at), each(&c.each));
        quote!(rt::reflect::Constraint {
            name: #name, finding: #finding, warning: #warning, platforms: &[#(#platforms),*], each: #each,
            message: #message, origin: #origin
        })
    });
    let (checks, accepted, groups) = (checks(cx), accepted(cx), groups(cx));
    quote! {
        /// Built-in function of the conditions of verification.md.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RuleBuiltin { #(#builtins),* }

        /// Conditions of the vendor's assembler.
        pub static CONSTRAINTS: &[rt::reflect::Constraint] = &[#(#rows),*];

        #checks

        #groups

        /// Violations of checks that the vendor's assembler accepts.
        pub static ACCEPTED: &[rt::reflect::Acceptance] = &[#(#accepted),*];
    }
}

/// Emits the checks.
fn checks(cx: &Cx<'_>) -> TokenStream {
    let checks = &cx.model.checks;
    let names: Vec<_> = checks.iter().map(|c| variant_name(&c.name)).collect();
    let docs = checks.iter().map(|c| cx.doc(&c.doc, &c.name, c.at));
    let texts = checks.iter().map(|c| &c.name);
    let findings = checks.iter().map(|c| &c.finding);
    quote! {
        /// Check that compares an instruction with its page or with a chapter.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PageCheck { #(#docs #names),* }

        impl PageCheck {
            /// Returns the name on the page.
            pub const fn name(self) -> &'static str {
                match self { #(Self::#names => #texts),* }
            }

            /// Returns the code of the finding for a violation.
            pub const fn finding(self) -> &'static str {
                match self { #(Self::#names => #findings),* }
            }
        }
    }
}

/// Emits the groups of instructions.
fn groups(cx: &Cx<'_>) -> TokenStream {
    let groups = &cx.model.groups;
    let names: Vec<_> = groups.iter().map(|g| variant_name(&g.name)).collect();
    let docs = groups.iter().map(|g| cx.doc(&g.doc, &g.name, g.at));
    let texts = groups.iter().map(|g| &g.name);
    quote! {
        /// Group of instructions with a common role.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum InstructionGroup { #(#docs #names),* }

        impl InstructionGroup {
            /// All groups, in the order of the pages.
            pub const ALL: &'static [Self] = &[#(Self::#names),*];

            /// Returns the name on the page.
            pub const fn name(self) -> &'static str {
                match self { #(Self::#names => #texts),* }
            }
        }
    }
}

/// Emits the groups of a page.
pub(crate) fn groups_of(cx: &Cx<'_>, page: &Instruction) -> TokenStream {
    let groups = cx.model.groups.iter().filter(|g| cx.model.covers(&g.instructions, page));
    let names = groups.map(|g| variant_name(&g.name));
    quote!(&[#(InstructionGroup::#names),*])
}

/// Emits the rows of what the assembler accepts.
fn accepted(cx: &Cx<'_>) -> Vec<TokenStream> {
    let one = |a: &Acceptance| {
        let check = variant_name(&a.check.name);
        let verdict = a.verdict;
        let verdict = format_ident!("{verdict:?}");
        let platforms = a.platforms.iter().map(|m| cx.platform_range(m));
        let covered = cx.model.instructions.iter().filter(|page| cx.model.covers(&a.instructions, page));
        let when = a.when.as_ref().and_then(|_| {
            // The checks report the problems of a row.
            covered.into_iter().find_map(|page| match semantics::accepted(cx.model, a, page) {
                (Some(when), problems) if problems.is_empty() => lower_accepted(cx.model, page, &when),
                _ => None,
            })
        });
        let when = match (&a.when, when) {
            (None, _) => quote!(&[]),
            (Some(_), Some(node)) => code(&node),
            (Some(_), None) => quote!(&[rt::Op::Nothing]),
        };
        let (name, origin, each) = (&a.name, cx.origin(a.at), each(&a.each));
        quote!(rt::reflect::Acceptance {
            name: #name, check: PageCheck::#check, platforms: &[#(#platforms),*], each: #each, when: #when,
            verdict: rt::reflect::Verdict::#verdict, origin: #origin
        })
    };
    cx.model.accepted.iter().filter(|a| a.check.to.is_some()).map(one).collect()
}

/// Emits the positions of the rows that apply to a page.
pub(crate) fn accepted_of(cx: &Cx<'_>, page: &Instruction) -> TokenStream {
    let rows = cx.model.accepted.iter().filter(|a| a.check.to.is_some()).enumerate();
    let rows = rows.filter(|(_, a)| cx.model.covers(&a.instructions, page)).map(|(at, _)| at);
    quote!(&[#(&ACCEPTED[#rows]),*])
}

fn each(each: &[EachOperand]) -> TokenStream {
    let names = each.iter().map(|each| format_ident!("{each:?}"));
    quote!(&[#(rt::reflect::EachOperand::#names),*])
}

/// Emits the rows that apply to a form of a page.
pub(crate) fn of_form(cx: &Cx<'_>, page: &Instruction, form: &Form) -> TokenStream {
    let rows = cx.model.constraints.iter().enumerate().filter(|(_, c)| cx.model.covers(&c.instructions, page));
    let rows = rows.filter_map(|(at, constraint)| {
        let row = row(cx.model, constraint, page);
        // The checks report the problems of a row.
        let (when, must) = lower(cx.model, page, form, &row).filter(|_| row.problems.is_empty())?;
        let (when, must) = (when.map_or(quote!(&[]), |node| code(&node)), code(&must));
        Some(quote!(rt::reflect::FormConstraint { row: &CONSTRAINTS[#at], when: #when, must: #must }))
    });
    quote!(&[#(#rows),*])
}

fn code(node: &Node) -> TokenStream {
    let mut out = Vec::new();
    postfix(node, &mut out);
    quote!(&[#(#out),*])
}

fn postfix(node: &Node, out: &mut Vec<TokenStream>) {
    let small = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
    let bits = |n: u32| u8::try_from(n).unwrap_or(u8::MAX);
    let last = match node {
        Node::Nothing => quote!(rt::Op::Nothing),
        Node::Number(n) => quote!(rt::Op::Number(#n)),
        Node::Field(at) => {
            let at = small(*at);
            quote!(rt::Op::Field(#at))
        }
        Node::Part { field, lo, width } => {
            let (field, lo, width) = (small(*field), bits(*lo), bits(*width));
            quote!(rt::Op::Part { field: #field, lo: #lo, width: #width })
        }
        Node::Named(of, names) => {
            postfix(of, out);
            let names = names.iter().map(|(code, number)| {
                let code = i64::try_from(*code).unwrap_or(i64::MAX);
                quote!((#code, #number))
            });
            quote!(rt::Op::Named(&[#(#names),*]))
        }
        Node::OneOf(of, numbers) => {
            postfix(of, out);
            quote!(rt::Op::OneOf(&[#(#numbers),*]))
        }
        Node::Pairs(left, right, pairs) => {
            postfix(left, out);
            postfix(right, out);
            let pairs = pairs.iter().map(|(a, b)| quote!((#a, #b)));
            quote!(rt::Op::Pairs(&[#(#pairs),*]))
        }
        Node::Builtin(name) => {
            let name = type_name(name);
            quote!(rt::Op::Builtin(RuleBuiltin::#name))
        }
        Node::Operand(name, at) => {
            let (name, at) = (type_name(name), small(*at));
            quote!(rt::Op::Operand(RuleBuiltin::#name, #at))
        }
        Node::It(name) => {
            let name = type_name(name);
            quote!(rt::Op::It(RuleBuiltin::#name))
        }
        Node::Destination(name) => {
            let name = type_name(name);
            quote!(rt::Op::Destination(RuleBuiltin::#name))
        }
        Node::Quantified(name, condition) => {
            let (name, condition) = (type_name(name), code(condition));
            quote!(rt::Op::Quantified(RuleBuiltin::#name, #condition))
        }
        Node::Call(name, arguments) => {
            arguments.iter().for_each(|a| postfix(a, out));
            let name = type_name(name);
            quote!(rt::Op::Builtin(RuleBuiltin::#name))
        }
        Node::Unary(operator, of) => {
            postfix(of, out);
            match operator {
                UnaryOperator::Negate => quote!(rt::Op::Negate),
                UnaryOperator::Not => quote!(rt::Op::Not),
                UnaryOperator::Complement => quote!(rt::Op::Complement),
            }
        }
        Node::Binary(operator, left, right) => {
            both_sides(*operator, left, right, out);
            let name = binary(*operator);
            quote!(rt::Op::Binary(rt::Operator::#name))
        }
        Node::Choice(of) => {
            of.iter().for_each(|n| postfix(n, out));
            quote!(rt::Op::Choose)
        }
    };
    out.push(last);
}

/// Emits the sides of a binary operator. If the left side may decide the result, an operation
/// between them skips the rest.
fn both_sides(operator: BinaryOperator, left: &Node, right: &Node, out: &mut Vec<TokenStream>) {
    postfix(left, out);
    let at = out.len();
    postfix(right, out);
    if matches!(operator, BinaryOperator::AndThen | BinaryOperator::OrElse)
        && let Ok(skipped) = u8::try_from(out.len() - at + 1)
    {
        let decides = operator == BinaryOperator::OrElse;
        out.insert(at, quote!(rt::Op::Unless(#decides, #skipped)));
    }
}

/// Returns the runtime's name of an operator, which equals the name in the tree.
fn binary(operator: BinaryOperator) -> proc_macro2::Ident {
    format_ident!("{operator:?}")
}
