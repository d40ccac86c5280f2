"""Decoder and printer of vISA instructions, by the tables of a specification.

    >>> from visa_isa import decode
    >>> instruction, size = decode(bytes([0x6a, 0x00, 0x02, 0x00]))   # doctest: +SKIP
    >>> print(instruction)                                            # doctest: +SKIP

`tables` is generated; this module is the same for every specification. Numbers are little-endian.
Bytes without a meaning on any page raise `DecodeError`, never another exception.
"""

from . import tables as t


class DecodeError(ValueError):
    """Bytes that are no instruction or structure.

    Attributes:
        offset: offset of the problem in the given bytes.
    """

    def __init__(self, offset, message):
        super().__init__(f"offset 0x{offset:x}: {message}")
        self.offset = offset


class Reader:
    """Cursor over bytes."""

    def __init__(self, data, at=0, end=None):
        self.data = bytes(data)
        self.at = at
        self.end = len(self.data) if end is None else end

    def bytes(self, count):
        """Return the next `count` bytes."""
        if count > self.end - self.at:
            raise DecodeError(self.at, f"{count} bytes are needed, {self.end - self.at} are left")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, bits, signed=False):
        """Return the next number of this many bits."""
        return int.from_bytes(self.bytes(bits // 8), "little", signed=bool(signed))


class Operand:
    """Vector operand: its class, its modifier, and the members of the class's structure.

    Attributes:
        kind: code of the operand class.
        modifier: code of the modifier.
        members: bits of the members, by position in the structure; None for an absent one.
        structure: row of the structure in `tables.STRUCTURES`.
    """

    __slots__ = ("kind", "modifier", "members", "structure")

    def __init__(self, kind, modifier, members, structure):
        self.kind, self.modifier, self.members, self.structure = kind, modifier, members, structure

    def __eq__(self, other):
        same = isinstance(other, Operand) and (self.kind, self.modifier) == (other.kind, other.modifier)
        return same and self.members == other.members

    def __hash__(self):
        return hash((self.kind, self.modifier, tuple(self.members)))

    def __repr__(self):
        rows = t.MEMBERS[self.structure.members : self.structure.members + self.structure.member_count]
        members = ", ".join(f"{row.name}={value}" for row, value in zip(rows, self.members))
        return f"Operand({self.structure.name}: {members})"


class Raw:
    """Raw operand: index of a general variable, and the first byte."""

    __slots__ = ("id", "offset")

    def __init__(self, id, offset):
        self.id, self.offset = id, offset

    def __eq__(self, other):
        return isinstance(other, Raw) and (self.id, self.offset) == (other.id, other.offset)

    def __hash__(self):
        return hash((self.id, self.offset))

    def __repr__(self):
        return f"Raw(id={self.id}, offset={self.offset})"


def decode(data, offset=0, version=(4, 1)):
    """Decode the instruction at an offset.

    Args:
        data: bytes-like object with the code of a routine.
        offset: offset of the instruction.
        version: version of the object, which selects among layouts.

    Returns:
        The instruction, and the offset after it.

    Raises:
        DecodeError: the bytes have no meaning on any page, or end early.
    """
    reader = Reader(data, offset)
    instruction = _instruction(reader, 256 * version[0] + version[1])
    return instruction, reader.at


def decode_all(data, version=(4, 1)):
    """Decode the code of a routine to a list of instructions."""
    reader, version, out = Reader(data), 256 * version[0] + version[1], []
    while reader.at < reader.end:
        out.append(_instruction(reader, version))
    return out


class Instruction:
    """Decoded instruction.

    Attributes:
        name: name of the page.
        form: name of the form; empty for a page with one form.
        fields: values by name of the field, in the order of the page. Numbers, indices and lists
            are integers, operands `Operand` and `Raw`, repeated fields lists. Absent fields are
            left out.
    """

    __slots__ = ("page", "row", "values")

    def __init__(self, page, row, values):
        self.page, self.row, self.values = page, row, values

    @property
    def name(self):
        return self.page.name

    @property
    def form(self):
        return self.row.name

    @property
    def fields(self):
        rows = _fields(self.row)
        return {row.name: value for row, value in zip(rows, self.values) if value is not None}

    def text(self, names=None):
        """Print the instruction in assembly syntax.

        Args:
            names: names of variables and properties of the text; see `Names`.
        """
        return _Printer(names or Names()).instruction(self).rstrip()

    __str__ = text

    def __repr__(self):
        return f"Instruction({self.name}: {self.fields})"


# The pages by opcode.
_PAGES = {}
for _page in t.INSTRUCTIONS:
    _PAGES.setdefault(_page.opcode, []).append(_page)


def _instruction(reader, version):
    start = reader.at
    opcode = reader.number(8)
    pages = _PAGES.get(opcode, [])
    page = next((p for p in pages if not p.reserved and p.sub_opcode < 0), None)
    known = [p for p in pages if not p.reserved]
    if page is None and known:
        at, sub_opcode = reader.at, reader.number(8)
        page = next((p for p in known if p.sub_opcode == sub_opcode), None)
        if page is None:
            raise DecodeError(at, f"0x{sub_opcode:02x} is no sub-opcode of {known[0].family}")
    if page is None:
        why = f"the layout of {pages[0].name} is not published" if pages else "no page has this opcode"
        raise DecodeError(start, f"0x{opcode:02x}: {why}")
    row = _form(page, reader, version)
    return Instruction(page, row, _values(row, reader, version))


def _fields(form):
    return t.FIELDS[form.fields : form.fields + form.field_count]


def _form(page, reader, version):
    forms = t.FORMS[page.forms : page.forms + page.form_count]
    if len(forms) == 1:
        return forms[0]
    if forms[0].condition < 0:
        for form in forms:
            if form.since <= version < form.before:
                return form
        raise DecodeError(reader.at, f"no form of {page.name} belongs to the version")
    # The selector has the same offset in all forms.
    selector = t.CONDITIONS[forms[0].condition].field
    ahead = Reader(reader.data, reader.at, reader.end)
    values = _values(forms[0], ahead, version, selector + 1)
    for form in forms:
        if _holds(form.condition, values):
            return form
    raise DecodeError(reader.at, f"{values[selector]} selects no form of {page.name}")


def _holds(condition, values):
    """Test a condition on the values of fields or members."""
    row = t.CONDITIONS[condition]
    value = values[row.field]
    if not isinstance(value, int):
        return False
    value = value >> row.lo & (1 << row.width) - 1
    wanted = t.NUMBERS[row.numbers : row.numbers + row.number_count]
    return any(number.value == value for number in wanted)


def _values(form, reader, version, count=None):
    rows, values = _fields(form), []
    for row in rows[:count]:
        if row.text_only or row.condition >= 0 and not _holds(row.condition, values):
            values.append(None)
        elif row.counter >= 0:
            values.append([_field(row, rows, values, reader, version) for _ in range(values[row.counter])])
        else:
            values.append(_field(row, rows, values, reader, version))
    return values


def _field(row, rows, values, reader, version):
    start, kind = reader.at, row.kind
    if kind in (t.KIND_LIST, t.KIND_PREDICATE):
        return _list(row.list, reader.number(t.LISTS[row.list].bits), start)
    if kind in (t.KIND_VECTOR, t.KIND_SCALAR):
        return _operand(reader, version)
    if kind == t.KIND_RAW:
        return _raw(reader, version)
    if kind == t.KIND_COPY:
        original, kind = values[row.of], rows[row.of].kind
        read = {t.KIND_VECTOR: _operand, t.KIND_SCALAR: _operand, t.KIND_RAW: _raw}.get(kind)
        value = read(reader, version) if read else _number(row, reader, version)
        if value != original:
            raise DecodeError(start, f"{row.name} must repeat {rows[row.of].name}")
        return None
    value = _number(row, reader, version)
    if kind == t.KIND_ZERO and value != 0:
        raise DecodeError(start, f"reserved bits of {row.name} are set (0x{value:x})")
    return None if kind == t.KIND_ZERO else value


def _storage(row, version):
    """Return the layout of a field or member in a version. The last one has no other choice."""
    rows = t.STORAGES[row.storages : row.storages + row.storage_count]
    return next((r for r in rows if r.since <= version < r.before), rows[-1])


def _number(row, reader, version):
    storage = _storage(row, version)
    return reader.number(storage.bits, storage.signed)


def _list(position, bits, at):
    """Check the bits of a list and return them."""
    row = t.LISTS[position]
    known = (1 << row.width) - 1 << row.lo
    parts = t.PARTS[row.parts : row.parts + row.part_count]
    if not row.enumeration:
        known = sum((1 << p.width) - 1 << p.lo for p in parts if p.kind != t.KIND_ZERO)
    if bits & ~known:
        raise DecodeError(at, f"reserved bits of {row.name} are set (0x{bits & ~known:x})")
    if row.enumeration and _value(row, bits) is None:
        raise DecodeError(at, f"{bits >> row.lo} is not a value of {row.name}")
    for part in parts:
        value = bits >> part.lo & (1 << part.width) - 1
        if part.kind == t.KIND_LIST:
            _list(part.list, value, at)
        if part.kind == t.KIND_DATA_TYPE:
            _type(value, at)
    return bits


def _value(row, bits):
    values = t.VALUES[row.values : row.values + row.value_count]
    return next((v for v in values if v.code == bits >> row.lo), None)


def _type(code, at=0):
    for row in t.TYPES:
        if row.stored and row.code == code:
            return row
    raise DecodeError(at, f"{code} is not a data type")


def _operand(reader, version):
    start = reader.at
    tag = t.MEMBERS[t.STRUCTURES[t.STRUCTURE_VEC_OPERAND].members + t.MEMBER_VEC_OPERAND_TAG]
    bits = _list(tag.list, reader.number(t.LISTS[tag.list].bits), start)
    parts = t.PARTS[t.LISTS[tag.list].parts :][: t.LISTS[tag.list].part_count]
    part = {p.list: bits >> p.lo & (1 << p.width) - 1 for p in parts if p.kind == t.KIND_LIST}
    kind, modifier = part[t.LIST_OPERAND_CLASS], part[t.LIST_MODIFIER]
    structure = next(s for s in t.STRUCTURES if s.class_code == kind)
    return Operand(kind, modifier, _members(structure, reader, version), structure)


def _raw(reader, version):
    members = _members(t.STRUCTURES[t.STRUCTURE_RAW_OPERAND], reader, version)
    return Raw(members[t.MEMBER_RAW_OPERAND_ID], members[t.MEMBER_RAW_OPERAND_OFFSET])


def _members(structure, reader, version):
    """Return the values of a structure's members, by position."""
    rows, values = t.MEMBERS[structure.members : structure.members + structure.member_count], []
    for row in rows:
        count = values[row.counter] if row.counter >= 0 else None
        if row.condition >= 0 and not _holds(row.condition, values):
            values.append(None)
        elif row.kind == t.KIND_STRINGS:
            values.append([_string(reader) for _ in range(count)])
        elif count is not None and row.kind == t.KIND_NUMBER and _storage(row, version).bits == 8:
            values.append(reader.bytes(count))
        elif count is not None:
            values.append([_member(row, reader, version) for _ in range(count)])
        else:
            values.append(_member(row, reader, version))
    return values


def _member(row, reader, version):
    start = reader.at
    if row.kind in (t.KIND_CODE, t.KIND_INFO):
        return None
    if row.kind == t.KIND_STRUCTURE:
        return _members(t.STRUCTURES[_storage(row, version).structure], reader, version)
    if row.kind == t.KIND_LIST:
        return _list(row.list, reader.number(t.LISTS[row.list].bits), start)
    value = _number(row, reader, version)
    if row.kind == t.KIND_DATA_TYPE:
        _type(value, start)
    if row.kind == t.KIND_ZERO and value != 0:
        raise DecodeError(start, f"reserved bits of {row.name} are set (0x{value:x})")
    return value


def _string(reader):
    end = reader.data.find(0, reader.at, reader.end)
    if end < 0:
        raise DecodeError(reader.at, "a string without its end")
    return reader.bytes(end + 1 - reader.at)[:-1]


class Names:
    """Names of variables, and the properties of a text. Subclass it to use other names.

    Attributes:
        revision: text revision as year times 100 plus month; 0 for the oldest printer.
        full: True for texts that keep what the vendor's text loses.
        register_bytes: size of a register.
    """

    revision = 0
    full = False
    register_bytes = 32

    _predefined = {(row.table, row.id): row for row in t.PREDEFINED}

    def name(self, table, id):
        """Return the name of an entry of a table; None for the letter of the table and the number."""
        if table == t.TABLE_SAMPLER:
            return None
        row = self._predefined.get((table, id))
        return row.name if row else None

    def element_bits(self, id):
        """Return the bits of an element of a general variable; None if they are not known."""
        row = self._predefined.get((t.TABLE_GENERAL, id))
        return t.TYPES[row.type].bits if row else None


_LETTERS = {
    t.TABLE_GENERAL: "V",
    t.TABLE_ADDRESS: "A",
    t.TABLE_PREDICATE: "P",
    t.TABLE_SAMPLER: "S",
    t.TABLE_SURFACE: "T",
    t.TABLE_LABEL: "L",
    t.TABLE_STRING: "N",
}


class _Printer:
    """Printer of one instruction."""

    def __init__(self, names):
        self.names = names

    def instruction(self, instruction):
        form, values = instruction.row, instruction.values
        for text in t.TEXTS[form.texts : form.texts + form.text_count]:
            if self.applies(text, form, values):
                items = t.ITEMS[text.items : text.items + text.item_count]
                return self.items(items, form, values)
        return instruction.name.lower()

    def applies(self, text, form, values):
        rows = _fields(form)
        if text.full and not self.names.full or not text.since <= self.names.revision < text.before:
            return False
        said = t.NUMBERS[text.said : text.said + text.said_count]
        if said and not any(_differs(rows[n.value], values[n.value]) for n in said):
            return False
        conditions = range(text.conditions, text.conditions + text.condition_count)
        return all(_holds(condition, values) for condition in conditions)

    def items(self, items, form, values):
        rows, out, at = _fields(form), [], 0
        while at < len(items):
            item = items[at]
            at += 1
            row = rows[item.field] if item.field >= 0 else None
            value = values[item.field] if item.field >= 0 else None
            if item.kind == t.ITEM_TEXT:
                out.append(item.text)
            elif item.kind == t.ITEM_SPACE:
                out.append(" " * item.count)
            elif item.kind == t.ITEM_PREDICATE:
                out.append(self.predicate(value))
            elif item.kind == t.ITEM_SATURATION:
                saturated = isinstance(value, Operand) and value.modifier == t.VALUE_MODIFIER_SAT
                out.append(item.text if saturated else "")
            elif item.kind == t.ITEM_OPTIONAL:
                inner = items[at : at + item.count]
                at += item.count
                if any(self.shown(i, rows, values) for i in inner if i.kind == t.ITEM_FIELD):
                    out.append(self.items(inner, form, values))
            elif item.part >= 0:
                out.append(self.part(_part(row.list, item.part), self.bits(row, value), item.format))
            else:
                out.append(self.field(row, rows, values, value, item.format))
        return "".join(out)

    def bits(self, row, value):
        return t.LISTS[row.list].default if value is None else value

    def shown(self, item, rows, values):
        row, value = rows[item.field], values[item.field]
        if item.part >= 0:
            part = _part(row.list, item.part)
            return self.bits(row, value) >> part.lo & (1 << part.width) - 1 != part.default
        if row.condition >= 0:
            differs = value is not None
        elif row.counter >= 0:
            differs = bool(value)
        elif row.kind in (t.KIND_NUMBER, t.KIND_INDEX_BY, t.KIND_INDEX):
            differs = (value or 0) != row.default
        else:
            differs = _differs(row, value)
        unless = row.default_condition
        return differs or unless >= 0 and not _holds(unless, values)

    def field(self, row, rows, values, value, form):
        if value is None and not row.text_only:
            return ""
        if isinstance(value, list):
            labels = row.kind == t.KIND_INDEX and row.table == t.TABLE_LABEL
            return (", " if labels else " ").join(self.one(row, values, v, form) for v in value)
        return self.one(row, values, value, form)

    def one(self, row, values, value, form):
        if row.kind in (t.KIND_LIST, t.KIND_PREDICATE):
            return self.list(t.LISTS[row.list], self.bits(row, value), form)
        if row.kind == t.KIND_INDEX:
            return self.index(row.table, value or 0, form)
        if row.kind == t.KIND_INDEX_BY:
            code = values[row.of] >> row.lo & (1 << row.width) - 1
            pairs = [n.value for n in t.NUMBERS[row.numbers : row.numbers + row.number_count]]
            return self.index(dict(zip(pairs[::2], pairs[1::2]))[code], value or 0, form)
        if row.kind in (t.KIND_VECTOR, t.KIND_SCALAR):
            return self.operand(value or _NULL_OPERAND, form)
        if row.kind == t.KIND_RAW:
            return self.raw(value or Raw(0, 0), form)
        return self.number(value or 0, form)

    def number(self, value, form):
        if form == t.FORMAT_PLUS:
            return f"{value:+}"
        sign, magnitude = "-" if value < 0 else "", abs(value)
        if form == t.FORMAT_HEX:
            return f"{sign}0x{magnitude:x}"
        if form in (t.FORMAT_UPPER_HEX, t.FORMAT_BARE):
            return f"{sign}0x{magnitude:X}"
        if form == t.FORMAT_X:
            return f"{sign}{magnitude:x}"
        if form == t.FORMAT_X2:
            return f"{sign}{magnitude:02x}"
        if form == t.FORMAT_SIGNED:
            return f"{sign or '+'}0x{magnitude:x}"
        return str(value)

    def index(self, table, id, form=t.FORMAT_PLAIN):
        name = self.names.name(table, id)
        if name is None:
            name = f"{_LETTERS[table]}{id}"
        plain = name.isascii() and name.replace("_", "a").isalnum() and not name[0].isdigit()
        if form == t.FORMAT_QUOTED or form == t.FORMAT_WORD and not plain:
            return '"' + _escape(name) + '"'
        return name

    def list(self, row, bits, form):
        if row.enumeration:
            value = _value(row, bits)
            if form != t.FORMAT_PLAIN:
                return self.number(value.code, form)
            newer = t.NEWER[value.newer : value.newer + value.newer_count]
            return next((n.text for n in newer if self.names.revision >= n.since), value.text)
        if form != t.FORMAT_PLAIN or row.style == t.STYLE_NUMBER:
            return self.number(bits - (1 << 64) if bits >> 63 else bits, form)
        parts = t.PARTS[row.parts : row.parts + row.part_count]
        if row.style == t.STYLE_FLAGS:
            return "".join(p.text for p in parts if p.kind == t.KIND_FLAG and bits >> p.lo & 1)
        return self.list_items(t.ITEMS[row.items : row.items + row.item_count], parts, bits)

    def list_items(self, items, parts, bits):
        out, at = [], 0
        while at < len(items):
            item = items[at]
            at += 1
            if item.kind == t.ITEM_TEXT:
                out.append(item.text)
            elif item.kind == t.ITEM_SPACE:
                out.append(" " * item.count)
            elif item.kind == t.ITEM_FIELD:
                out.append(self.part(parts[item.part], bits, item.format))
            elif item.kind == t.ITEM_OPTIONAL:
                inner = items[at : at + item.count]
                at += item.count
                fields = [parts[i.part] for i in inner if i.kind == t.ITEM_FIELD]
                if any(bits >> p.lo & (1 << p.width) - 1 != p.default for p in fields):
                    out.append(self.list_items(inner, parts, bits))
        return "".join(out)

    def part(self, part, bits, form):
        value = bits >> part.lo & (1 << part.width) - 1
        if part.kind == t.KIND_FLAG:
            return part.text if value else ""
        if part.kind == t.KIND_LIST:
            return self.list(t.LISTS[part.list], value, form)
        if part.kind == t.KIND_DATA_TYPE:
            return _type(value).name
        return "" if part.kind == t.KIND_ZERO else self.number(value, form)

    def predicate(self, bits):
        if bits is None or bits == t.LISTS[t.LIST_PREDICATE].default:
            return ""
        part = lambda at: (p := _part(t.LIST_PREDICATE, at)) and bits >> p.lo & (1 << p.width) - 1
        combine = _part(t.LIST_PREDICATE, t.PART_PREDICATE_COMBINE)
        combine = _value(t.LISTS[combine.list], part(t.PART_PREDICATE_COMBINE)).text
        name = self.index(t.TABLE_PREDICATE, part(t.PART_PREDICATE_ID))
        inverse = "!" if part(t.PART_PREDICATE_INVERSE) else ""
        return f"({inverse}{name}{'.' + combine if combine else ''}) "

    def raw(self, value, form):
        name = self.index(t.TABLE_GENERAL, value.id)
        hidden = form == t.FORMAT_NAME and not (self.names.full and value.offset)
        if hidden or form != t.FORMAT_PLAIN and not value.offset:
            return name
        return f"{name}.{value.offset}"

    def operand(self, value, form):
        modifier = _value(t.LISTS[t.LIST_MODIFIER], value.modifier).text
        return modifier + self.without_modifier(value.kind, value.members, form)

    def without_modifier(self, kind, m, form):
        if kind == t.VALUE_OPERAND_CLASS_GENERAL:
            id, row = m[t.MEMBER_GEN_OPND_ID], m[t.MEMBER_GEN_OPND_ROW_OFFSET]
            column, name = m[t.MEMBER_GEN_OPND_COL_OFFSET], self.index(t.TABLE_GENERAL, id)
            if form == t.FORMAT_ADDRESS:
                element = ((self.names.element_bits(id) or 8) + 7) // 8
                return _address(name, row * self.names.register_bytes + column * element)
            place = f"({row},{column})"
            if form == t.FORMAT_BARE:
                return name + (place if (row, column) != (0, 0) else "")
            region = "" if form == t.FORMAT_PACKED else self.region(m[t.MEMBER_GEN_OPND_REGION])
            return name + place + region
        if kind == t.VALUE_OPERAND_CLASS_ADDRESS:
            name = self.index(t.TABLE_ADDRESS, m[t.MEMBER_ADDR_OPND_ID])
            width = t.LISTS[t.MEMBERS[t.STRUCTURES[t.STRUCTURE_ADDR_OPND].members + t.MEMBER_ADDR_OPND_WIDTH].list]
            shown = self.list(width, m[t.MEMBER_ADDR_OPND_WIDTH], t.FORMAT_PLAIN)
            return f"{name}({m[t.MEMBER_ADDR_OPND_OFFSET]})<{shown}>"
        if kind == t.VALUE_OPERAND_CLASS_PREDICATE:
            id = _part(t.LIST_PREDICATE, t.PART_PREDICATE_ID)
            bits = m[t.MEMBER_PRED_OPND_VALUE] >> id.lo & (1 << id.width) - 1
            return self.index(t.TABLE_PREDICATE, bits)
        if kind == t.VALUE_OPERAND_CLASS_INDIRECT:
            name = self.index(t.TABLE_ADDRESS, m[t.MEMBER_INDIRECT_OPND_ID])
            place = f"{name}({m[t.MEMBER_INDIRECT_OPND_ADDR_OFFSET]})"
            offset = m[t.MEMBER_INDIRECT_OPND_INDIRECT_OFFSET]
            region = self.region(m[t.MEMBER_INDIRECT_OPND_REGION])
            return f"r[{place},{offset}]{region}:{_indirect_type(m)}"
        if kind == t.VALUE_OPERAND_CLASS_IMMEDIATE:
            bits = _immediate(m)
            if form == t.FORMAT_BARE:
                return self.number(bits - (1 << 64) if bits >> 63 else bits, t.FORMAT_UPPER_HEX)
            return f"0x{bits:x}:{_type(m[t.MEMBER_CONST_OPND_TYPE]).name}"
        surface = m[t.MEMBER_STATE_OPND_CLASS] == t.VALUE_STATE_CLASS_SURFACE
        name = self.index(t.TABLE_SURFACE if surface else t.TABLE_SAMPLER, m[t.MEMBER_STATE_OPND_ID])
        offset = m[t.MEMBER_STATE_OPND_OFFSET]
        return _address(name, offset * 4) if form == t.FORMAT_ADDRESS else f"{name}({offset})"

    def region(self, bits):
        def stride(at):
            part = _part(t.LIST_REGION, at)
            return _value(t.LISTS[part.list], bits >> part.lo & (1 << part.width) - 1).text

        vertical, width = stride(t.PART_REGION_VERTICAL_STRIDE), stride(t.PART_REGION_WIDTH)
        first = (vertical + ";" if vertical else "") + (width + "," if width else "")
        return f"<{first}{stride(t.PART_REGION_HORIZONTAL_STRIDE)}>"


def _part(list, position):
    return t.PARTS[t.LISTS[list].parts + position]


def _indirect_type(members):
    structure = t.STRUCTURES[t.STRUCTURE_INDIRECT_OPND]
    row = t.LISTS[t.MEMBERS[structure.members + t.MEMBER_INDIRECT_OPND_BIT_PROPERTIES].list]
    parts = t.PARTS[row.parts : row.parts + row.part_count]
    part = next(p for p in parts if p.kind == t.KIND_DATA_TYPE)
    bits = members[t.MEMBER_INDIRECT_OPND_BIT_PROPERTIES]
    return _type(bits >> part.lo & (1 << part.width) - 1).name


def _immediate(members):
    return members[t.MEMBER_CONST_OPND_LOW] | (members[t.MEMBER_CONST_OPND_HIGH] or 0) << 32


def _address(name, offset):
    return f"&{name}" + (f"[{offset}]" if offset else "")


def _escape(text):
    known = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    control = lambda c: ord(c) < 0x20 or ord(c) == 0x7F
    return "".join(known.get(c) or (f"\\{ord(c):03o}" if control(c) else c) for c in text)


def _null_operand():
    structure = t.STRUCTURES[next(i for i, s in enumerate(t.STRUCTURES) if s.class_code >= 0)]
    members = [0] * structure.member_count
    return Operand(structure.class_code, 0, members, structure)


# Default of an operand: the first class, with zeros.
_NULL_OPERAND = _null_operand()


def _differs(row, value):
    """Test whether a value differs from the default of its type."""
    if value is None:
        return False
    if isinstance(value, Operand) and value.kind == t.VALUE_OPERAND_CLASS_IMMEDIATE:
        return _immediate(value.members) != 0
    if isinstance(value, Operand):
        return value != _NULL_OPERAND
    if isinstance(value, Raw):
        return value != Raw(0, 0)
    return value != (t.LISTS[row.list].default if row.list >= 0 else 0)
