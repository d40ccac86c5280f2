(comment) @comment
(string) @string
(number) @number
(directive_name) @keyword.directive
(key) @property
(mnemonic) @function.builtin
(suffix) @keyword.modifier
(modifier) @keyword.modifier
(type) @type
(region) @operator
(predefined) @variable.builtin
(variable) @variable
(label name: (identifier) @label)
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" "="] @punctuation.delimiter
