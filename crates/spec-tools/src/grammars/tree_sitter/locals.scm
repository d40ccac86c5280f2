(directive (directive_name) . (variable) @local.definition.var)
(label name: (identifier) @local.definition)
(instruction (variable) @local.reference)
