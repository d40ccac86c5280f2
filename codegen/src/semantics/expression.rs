//! Parser of expressions: operators by precedence, then calls, indices and parts.

use super::lex::Token;
use super::parse::{Parser, Problem, joined};
use crate::model::semantics::{BinaryOperator, Call, Expression, ExpressionKind, Meaning, Name, UnaryOperator};

impl Parser<'_> {
    /// Parses `c ? a : b` and everything of higher precedence.
    pub(super) fn expression(&mut self) -> Result<Expression, Problem> {
        let condition = self.binary(1)?;
        if self.peek() != Some(Token::Sign("?")) {
            return Ok(condition);
        }
        self.advance();
        let then = self.deeper(Self::expression)?;
        self.expect(":", "write a choice as `c ? a : b`")?;
        let otherwise = self.deeper(Self::expression)?;
        let at = joined(&condition, otherwise.at);
        let kind = ExpressionKind::Choice {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        Ok(Expression { kind, at })
    }

    /// Parses operators of at least this precedence; operators of one level associate to the left.
    fn binary(&mut self, tightness: u8) -> Result<Expression, Problem> {
        let mut left = self.unary()?;
        while let Some(Token::Sign(sign)) = self.peek()
            && let Some((operator, _, level)) = BinaryOperator::ALL.into_iter().find(|(_, s, _)| *s == sign)
            && level >= tightness
        {
            self.advance();
            let right = self.deeper(|parser| parser.binary(level + 1))?;
            let at = joined(&left, right.at);
            let kind = ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) };
            left = Expression { kind, at };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, Problem> {
        let start = self.span();
        if let Some(Token::Sign(sign)) = self.peek()
            && let Some((operator, _)) = UnaryOperator::ALL.into_iter().find(|(_, s)| *s == sign)
        {
            self.advance();
            let operand = Box::new(self.deeper(Self::unary)?);
            return Ok(Expression { kind: ExpressionKind::Unary { operator, operand }, at: self.since(&start) });
        }
        let mut value = self.primary()?;
        loop {
            match self.peek() {
                Some(Token::Sign("[")) => {
                    self.advance();
                    let index = Box::new(self.deeper(Self::expression)?);
                    self.expect("]", "write an index between `[` and `]`")?;
                    let kind = ExpressionKind::Index { of: Box::new(value), index };
                    value = Expression { kind, at: self.since(&start) };
                }
                Some(Token::Sign(".")) => {
                    self.advance();
                    let part = self.part()?;
                    let kind = ExpressionKind::BitField { of: Box::new(value), part };
                    value = Expression { kind, at: self.since(&start) };
                }
                _ => return Ok(value),
            }
        }
    }

    /// Parses the name after a dot.
    fn part(&mut self) -> Result<Name, Problem> {
        let at = self.place(&self.span());
        let text = match self.peek() {
            Some(Token::Word(word)) => word.to_owned(),
            _ => return Err(self.unexpected("the name of a part", "write a part as `field.part`")),
        };
        self.advance();
        Ok(Name { text, at })
    }

    fn primary(&mut self) -> Result<Expression, Problem> {
        const HELP: &str = "a value is a number, `true`, `false`, a name, a call, or an expression in parentheses";
        let start = self.span();
        let kind = match self.peek() {
            Some(Token::Integer(Some(value))) => ExpressionKind::Integer(value),
            Some(Token::Float(value)) => ExpressionKind::Float(value),
            Some(Token::Word("true")) => ExpressionKind::Boolean(true),
            Some(Token::Word("false")) => ExpressionKind::Boolean(false),
            Some(Token::Word("for" | "if" | "else" | "let" | "undefined")) => {
                return Err(self.unexpected("a value", HELP));
            }
            Some(Token::Word(word)) => {
                self.advance();
                if self.peek() == Some(Token::Sign("(")) {
                    let function = Name { text: word.to_owned(), at: self.place(&start) };
                    return self.call(function);
                }
                let kind = ExpressionKind::Name { name: word.to_owned(), meaning: Meaning::Unresolved };
                return Ok(Expression { kind, at: self.place(&start) });
            }
            // `%` at the start of a value begins the name of a predefined variable.
            Some(Token::Sign("%")) => {
                self.advance();
                match self.peek() {
                    Some(Token::Word(word)) if self.span().start == start.end => {
                        ExpressionKind::Name { name: format!("%{word}"), meaning: Meaning::Unresolved }
                    }
                    _ => return Err(self.unexpected("the name of a predefined variable", HELP)),
                }
            }
            Some(Token::Sign("(")) => {
                self.advance();
                let inner = self.deeper(Self::expression)?;
                self.expect(")", "close `(` with `)` on the same line")?;
                return Ok(Expression { kind: inner.kind, at: self.since(&start) });
            }
            _ => return Err(self.unexpected("a value", HELP)),
        };
        self.advance();
        Ok(Expression { kind, at: self.since(&start) })
    }

    fn call(&mut self, function: Name) -> Result<Expression, Problem> {
        self.advance();
        let mut arguments = Vec::new();
        while self.peek() != Some(Token::Sign(")")) {
            arguments.push(self.deeper(Self::expression)?);
            if self.peek() != Some(Token::Sign(",")) {
                break;
            }
            self.advance();
        }
        self.expect(")", "write arguments between `(` and `)`, separated by `,`")?;
        let start = function.at.start as usize..function.at.end as usize;
        let at = self.since(&start);
        Ok(Expression { kind: ExpressionKind::Call(Call { function, arguments }), at })
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_text;
    use super::*;
    use crate::model::semantics::{Block, StatementKind};

    /// Prints an expression with all parentheses.
    fn full(e: &Expression) -> String {
        match &e.kind {
            ExpressionKind::Integer(n) => n.to_string(),
            ExpressionKind::Float(n) => n.to_string(),
            ExpressionKind::Boolean(b) => b.to_string(),
            ExpressionKind::Name { name, .. } => name.clone(),
            ExpressionKind::Enumerator { list, name } => format!("{list}.{name}"),
            ExpressionKind::BitField { of, part } => format!("{}.{}", full(of), part.text),
            ExpressionKind::Index { of, index } => format!("{}[{}]", full(of), full(index)),
            ExpressionKind::Call(call) => {
                let arguments: Vec<_> = call.arguments.iter().map(full).collect();
                format!("{}({})", call.function.text, arguments.join(", "))
            }
            ExpressionKind::Unary { operator, operand } => format!("({}{})", operator.sign(), full(operand)),
            ExpressionKind::Binary { operator, left, right } => {
                format!("({} {} {})", full(left), operator.sign(), full(right))
            }
            ExpressionKind::Choice { condition, then, otherwise } => {
                format!("({} ? {} : {})", full(condition), full(then), full(otherwise))
            }
        }
    }

    fn value(block: &Block) -> String {
        match &block.statements[0].kind {
            StatementKind::Assign { value, .. } => full(value),
            other => panic!("no assignment: {other:?}"),
        }
    }

    #[test]
    fn precedence() {
        let cases = [
            ("a + b * c", "(a + (b * c))"),
            ("a - b - c", "((a - b) - c)"),
            ("a % b / c", "((a % b) / c)"),
            ("a & b == c", "((a & b) == c)"),
            ("a >> b & 1", "((a >> b) & 1)"),
            ("a | b & c << d", "(a | (b & (c << d)))"),
            ("a ^ b | c", "((a ^ b) | c)"),
            ("a < b == c > d", "((a < b) == (c > d))"),
            ("a || b && c", "(a || (b && c))"),
            ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
            ("a || b ? c : d", "((a || b) ? c : d)"),
            ("-a[i] * ~b", "((-a[i]) * (~b))"),
            ("!f(a, b.c)[1]", "(!f(a, b.c)[1])"),
            ("(a + b) * c", "((a + b) * c)"),
            ("a >>> -1 + 2", "(a >>> ((-1) + 2))"),
            ("a % %arg + x %y", "((a % %arg) + (x % y))"),
            ("1.5 - 0x10", "(1.5 - 16)"),
        ];
        for (text, expected) in cases {
            let parsed = parse_text(&format!("x = {text}"));
            assert_eq!(parsed.problems, [], "{text}");
            assert_eq!(value(&parsed.block), expected, "{text}");
        }
    }

    #[test]
    fn places_cover_what_was_written() {
        let text = "x = (a + b) * f(c)[1]";
        let parsed = parse_text(text);
        let StatementKind::Assign { value, .. } = &parsed.block.statements[0].kind else { panic!() };
        let of = |at: crate::model::SourceSpan| &text[at.start as usize..at.end as usize];
        assert_eq!(of(value.at), "(a + b) * f(c)[1]");
        let ExpressionKind::Binary { left, right, .. } = &value.kind else { panic!() };
        assert_eq!((of(left.at), of(right.at)), ("(a + b)", "f(c)[1]"));
        assert_eq!(of(parsed.block.statements[0].at), text);
    }

    #[test]
    fn every_operator_is_in_the_table_once() {
        for (operator, sign, _) in BinaryOperator::ALL {
            assert_eq!(operator.sign(), sign);
            assert_eq!(value(&parse_text(&format!("x = a {sign} b")).block), format!("(a {sign} b)"));
        }
    }
}
