/** A regular expression that matches a text literally. */
const literal = (text) => text.replace(/[.+]/g, "\\$&");

module.exports = grammar({
  name: "visaasm",

  extras: ($) => [/[ \t\r\f]/, /\\\r?\n/, $.comment],

  word: ($) => $.identifier,

  rules: {
    source_file: ($) => repeat(choice($._line_end, seq($._statement, choice($._line_end, "\0")))),

    _line_end: () => "\n",

    _statement: ($) => choice($.directive, $.label, $.instruction, $.open_block, $.close_block),

    open_block: ($) => prec.right(seq("{", optional(choice($.label, $.instruction)))),

    close_block: () => "}",

    directive: ($) => prec.right(seq(field("name", $.directive_name), repeat($._property))),

    directive_name: () =>
      token(
        choice(
          ...DIRECTIVES,
          ...OPENINGS.map((opening) => new RegExp(literal(opening) + "[A-Za-z0-9_]+")),
        ),
      ),

    _property: ($) =>
      choice(
        $.property,
        $.string,
        $.number,
        $.region,
        $.predefined,
        alias($.identifier, $.variable),
        alias("{", $.brace),
        alias("}", $.brace),
        $._mark,
      ),

    property: ($) =>
      prec.right(
        1,
        seq(
          field("key", choice($.key, alias($.identifier, $.key))),
          "=",
          optional(field("value", choice($.type, $.number, $.string, alias($.identifier, $.value)))),
        ),
      ),

    key: () => choice(...KEYS),

    label: ($) => prec(2, seq(field("name", $.identifier), ":")),

    instruction: ($) =>
      prec.right(
        seq(
          optional($.predicate),
          field("name", choice($.mnemonic, alias($.identifier, $.unknown))),
          repeat($._operand),
          optional($.close_block),
        ),
      ),

    predicate: ($) =>
      seq("(", optional("!"), choice(alias($.identifier, $.variable), $.predefined), optional($.suffix), ")"),

    mnemonic: () => choice(...MNEMONICS),

    _operand: ($) =>
      choice(
        $.suffix,
        $.string,
        $.number,
        $.region,
        $.type_suffix,
        $.predefined,
        $.modifier,
        alias($.identifier, $.variable),
        $._mark,
      ),

    // A dot and the word after it are one token; a part may begin with a digit.
    suffix: () => token(seq(".", /[A-Za-z0-9_]+/)),

    type_suffix: ($) => seq(":", choice($.type, alias($.layout, $.type))),

    type: () => choice(...TYPES),

    layout: () => token(/[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*/),

    modifier: () => choice(...WORDS),

    region: () => token(prec(1, /<[A-Za-z0-9_;,* ]+>/)),

    predefined: () => token(/%[A-Za-z0-9_]+/),

    number: () => token(/[-+]?(0[xX][0-9A-Fa-f]+|[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?)/),

    string: () => token(/"([^"\\\n]|\\.)*"/),

    _mark: () => choice("(", ")", "[", "]", "<", ">", ",", ";", "+", "-", "*", "&", "~", "!", "@", "=", ".", "/"),

    identifier: () => /[A-Za-z_$@?][A-Za-z0-9_$@?]*/,

    comment: () => token(choice(seq("//", /[^\n]*/), seq("/*", /[^*]*\*+([^/*][^*]*\*+)*/, "/"))),
  },
});
