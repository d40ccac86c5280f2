/* Decoder and printer of vISA instructions; see visa_isa.h. */
#include "visa_isa.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Cursor over bytes. */
typedef struct reader {
    const uint8_t *bytes;
    size_t at, end;
    uint32_t version;
    visa_error *error;
} reader;

/* Values of a structure's members, by position. Bytes have their offset and length. */
typedef struct members {
    visa_slot slots[VISA_MAX_MEMBERS];
} members;

/* Vector operand. */
typedef struct operand {
    int64_t kind, modifier;
    const visa_structure *structure;
    members values;
} operand;

/* Receiver of the structures of an object; NULL for none. */
typedef struct sink {
    int (*done)(struct sink *sink, int structure, const members *values);
} sink;

/* ---- Reading. Every function returns 0 after a problem. */

static int fail(reader *r, size_t offset, const char *format, ...)
{
    va_list arguments;
    if (r->error) {
        r->error->offset = offset;
        va_start(arguments, format);
        vsnprintf(r->error->message, sizeof r->error->message, format, arguments);
        va_end(arguments);
    }
    return 0;
}

static uint64_t mask(int64_t width)
{
    return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static int skip(reader *r, uint64_t count)
{
    if (count > r->end - r->at)
        return fail(r, r->at, "%" PRIu64 " bytes are needed, %zu are left", count, r->end - r->at);
    r->at += (size_t)count;
    return 1;
}

static int number(reader *r, int bits, int is_signed, int64_t *out)
{
    uint64_t value = 0;
    int count = bits / 8, i;
    if (!skip(r, (uint64_t)count))
        return 0;
    for (i = 0; i < count; i++)
        value |= (uint64_t)r->bytes[r->at - (size_t)count + (size_t)i] << (8 * i);
    if (is_signed && bits < 64 && value >> (bits - 1))
        value |= ~mask(bits);
    *out = (int64_t)value;
    return 1;
}

static const visa_storage *storage(int32_t first, int32_t count, uint32_t version)
{
    int32_t i;
    for (i = first; i < first + count - 1; i++)
        if (visa_storages[i].since <= version && version < visa_storages[i].before)
            break;
    return &visa_storages[i];
}

static const visa_type *type_of(int64_t code)
{
    int i;
    for (i = 0; i < VISA_TYPES; i++)
        if (visa_types[i].stored && visa_types[i].code == code)
            return &visa_types[i];
    return NULL;
}

static const visa_value *value_of(int32_t list, uint64_t bits)
{
    const visa_list *row = &visa_lists[list];
    int32_t i;
    for (i = row->values; i < row->values + row->value_count; i++)
        if ((uint64_t)visa_values[i].code == bits >> row->lo)
            return &visa_values[i];
    return NULL;
}

static uint64_t part_bits(const visa_part *part, uint64_t bits)
{
    return bits >> part->lo & mask(part->width);
}

/* Checks the bits of a list. */
static int check_list(reader *r, int32_t list, uint64_t bits, size_t at)
{
    const visa_list *row = &visa_lists[list];
    uint64_t known = row->enumeration ? mask(row->width) << row->lo : 0;
    int32_t i;
    for (i = row->parts; i < row->parts + row->part_count; i++)
        if (visa_parts[i].kind != VISA_KIND_ZERO)
            known |= mask(visa_parts[i].width) << visa_parts[i].lo;
    if (bits & ~known)
        return fail(r, at, "reserved bits of %s are set (0x%" PRIx64 ")", row->name, bits & ~known);
    if (row->enumeration && !value_of(list, bits))
        return fail(r, at, "%" PRIu64 " is not a value of %s", bits >> row->lo, row->name);
    for (i = row->parts; i < row->parts + row->part_count; i++) {
        const visa_part *part = &visa_parts[i];
        uint64_t value = part_bits(part, bits);
        if (part->kind == VISA_KIND_LIST && !check_list(r, part->list, value, at))
            return 0;
        if (part->kind == VISA_KIND_DATA_TYPE && !type_of((int64_t)value))
            return fail(r, at, "%" PRIu64 " is not a data type", value);
    }
    return 1;
}

static int list_bits(reader *r, int32_t list, int64_t *out)
{
    size_t at = r->at;
    return number(r, visa_lists[list].bits, 0, out) && check_list(r, list, (uint64_t)*out, at);
}

static int holds(int32_t condition, const visa_slot *slots)
{
    const visa_condition *row = &visa_conditions[condition];
    uint64_t value = (uint64_t)slots[row->field].value >> row->lo & mask(row->width);
    int32_t i;
    if (!slots[row->field].present)
        return 0;
    for (i = row->numbers; i < row->numbers + row->number_count; i++)
        if ((uint64_t)visa_numbers[i].value == value)
            return 1;
    return 0;
}

static int structure(reader *r, int32_t position, int32_t count, members *out, sink *to);

static int member(reader *r, const visa_member *row, int64_t *value, sink *to)
{
    const visa_storage *stored = storage(row->storages, row->storage_count, r->version);
    size_t at = r->at;
    members inner;
    *value = 0;
    switch (row->kind) {
    case VISA_KIND_CODE:
    case VISA_KIND_INFO:
        return 1;
    case VISA_KIND_STRUCTURE:
        return structure(r, stored->structure, -1, &inner, to);
    case VISA_KIND_LIST:
        return list_bits(r, row->list, value);
    default:
        break;
    }
    if (!number(r, stored->bits, stored->is_signed, value))
        return 0;
    if (row->kind == VISA_KIND_DATA_TYPE && !type_of(*value))
        return fail(r, at, "%" PRId64 " is not a data type", *value);
    if (row->kind == VISA_KIND_ZERO && *value != 0)
        return fail(r, at, "reserved bits of %s are set (0x%" PRIx64 ")", row->name, *value);
    return 1;
}

/* Reads the first `count` members of a structure, or all for -1. */
static int structure(reader *r, int32_t position, int32_t count, members *out, sink *to)
{
    const visa_structure *s = &visa_structures[position];
    int32_t i;
    memset(out, 0, sizeof *out);
    for (i = 0; i < (count < 0 ? s->member_count : count); i++) {
        const visa_member *row = &visa_members[s->members + i];
        const visa_storage *stored = storage(row->storages, row->storage_count, r->version);
        visa_slot *slot = &out->slots[i];
        uint64_t left = row->counter < 0 ? 1 : (uint64_t)out->slots[row->counter].value;
        if (row->condition >= 0 && !holds(row->condition, out->slots))
            continue;
        slot->present = 1;
        slot->offset = r->at;
        slot->count = (uint32_t)left;
        if (row->kind == VISA_KIND_STRINGS) {
            for (; left > 0; left--) {
                const uint8_t *end = memchr(r->bytes + r->at, 0, r->end - r->at);
                if (!end)
                    return fail(r, r->at, "a string without its end");
                r->at = (size_t)(end - r->bytes) + 1;
            }
        } else if (row->counter >= 0 && row->kind == VISA_KIND_NUMBER && stored->bits == 8) {
            if (!skip(r, left))
                return 0;
        } else {
            for (; left > 0; left--)
                if (!member(r, row, &slot->value, to))
                    return 0;
        }
    }
    return !to || to->done(to, position, out);
}

static int vector(reader *r, operand *out)
{
    const visa_structure *head = &visa_structures[VISA_STRUCTURE_VEC_OPERAND];
    int32_t tag = visa_members[head->members + VISA_MEMBER_VEC_OPERAND_TAG].list, i;
    int64_t bits;
    if (!list_bits(r, tag, &bits))
        return 0;
    for (i = visa_lists[tag].parts; i < visa_lists[tag].parts + visa_lists[tag].part_count; i++) {
        if (visa_parts[i].list == VISA_LIST_OPERAND_CLASS)
            out->kind = (int64_t)part_bits(&visa_parts[i], (uint64_t)bits);
        if (visa_parts[i].list == VISA_LIST_MODIFIER)
            out->modifier = (int64_t)part_bits(&visa_parts[i], (uint64_t)bits);
    }
    for (i = 0; i < VISA_STRUCTURES; i++) {
        if (visa_structures[i].class_code == out->kind) {
            out->structure = &visa_structures[i];
            return structure(r, i, -1, &out->values, NULL);
        }
    }
    return fail(r, r->at, "no operand has the class %" PRId64, out->kind);
}

static int raw(reader *r, members *out)
{
    return structure(r, VISA_STRUCTURE_RAW_OPERAND, -1, out, NULL);
}

static int skip_operand(reader *r, int32_t kind)
{
    operand vector_operand;
    members raw_operand;
    return kind == VISA_KIND_RAW ? raw(r, &raw_operand) : vector(r, &vector_operand);
}

static int is_operand(int32_t kind)
{
    return kind == VISA_KIND_VECTOR || kind == VISA_KIND_SCALAR || kind == VISA_KIND_RAW;
}

/* Reads a field; `fields` are those of its form. */
static int field(reader *r, const visa_field *fields, const visa_field *row, visa_slot *slots,
                 int64_t *value)
{
    const visa_storage *stored = storage(row->storages, row->storage_count, r->version);
    size_t at = r->at, size;
    *value = 0;
    if (row->kind == VISA_KIND_LIST || row->kind == VISA_KIND_PREDICATE)
        return list_bits(r, row->list, value);
    if (is_operand(row->kind))
        return skip_operand(r, row->kind);
    if (row->kind == VISA_KIND_COPY && is_operand(fields[row->of].kind)) {
        if (!skip_operand(r, fields[row->of].kind))
            return 0;
        size = r->at - at;
        if (memcmp(r->bytes + at, r->bytes + slots[row->of].offset, size) != 0)
            return fail(r, at, "%s must repeat %s", row->name, fields[row->of].name);
        return 1;
    }
    if (!number(r, stored->bits, stored->is_signed, value))
        return 0;
    if (row->kind == VISA_KIND_COPY && *value != slots[row->of].value)
        return fail(r, at, "%s must repeat %s", row->name, fields[row->of].name);
    if (row->kind == VISA_KIND_ZERO && *value != 0)
        return fail(r, at, "reserved bits of %s are set (0x%" PRIx64 ")", row->name, *value);
    return 1;
}

/* Reads the first `count` fields of a form. */
static int fields_of(reader *r, const visa_form *form, int32_t count, visa_slot *slots)
{
    const visa_field *fields = &visa_fields[form->fields];
    int32_t i;
    memset(slots, 0, VISA_MAX_FIELDS * sizeof *slots);
    for (i = 0; i < count; i++) {
        const visa_field *row = &fields[i];
        int64_t left = row->counter < 0 ? 1 : slots[row->counter].value;
        if (row->text_only || (row->condition >= 0 && !holds(row->condition, slots)))
            continue;
        slots[i].offset = r->at;
        slots[i].count = left > 0 ? (uint32_t)left : 0;
        for (; left > 0; left--)
            if (!field(r, fields, row, slots, &slots[i].value))
                return 0;
        slots[i].present = row->kind != VISA_KIND_ZERO && row->kind != VISA_KIND_COPY;
    }
    return 1;
}

static const visa_form *form_of(reader *r, const visa_page *page)
{
    const visa_form *forms = &visa_forms[page->forms];
    visa_slot slots[VISA_MAX_FIELDS];
    reader ahead = *r;
    int32_t i, selector;
    if (page->form_count == 1)
        return forms;
    if (forms[0].condition < 0) {
        for (i = 0; i < page->form_count; i++)
            if (forms[i].since <= r->version && r->version < forms[i].before)
                return &forms[i];
        fail(r, r->at, "no form of %s belongs to the version", page->name);
        return NULL;
    }
    /* The selector has the same offset in all forms. */
    selector = visa_conditions[forms[0].condition].field;
    if (!fields_of(&ahead, forms, selector + 1, slots))
        return NULL;
    for (i = 0; i < page->form_count; i++)
        if (holds(forms[i].condition, slots))
            return &forms[i];
    fail(r, r->at, "%" PRId64 " selects no form of %s", slots[selector].value, page->name);
    return NULL;
}

static const visa_page *page_of(reader *r)
{
    const visa_page *known = NULL, *row;
    int64_t opcode, sub_opcode;
    size_t at = r->at;
    if (!number(r, 8, 0, &opcode))
        return NULL;
    for (row = visa_instructions; row < visa_instructions + VISA_INSTRUCTIONS; row++) {
        if (row->opcode != opcode)
            continue;
        if (!row->reserved && row->sub_opcode < 0)
            return row;
        if (!known || known->reserved)
            known = row;
    }
    if (!known) {
        fail(r, at, "0x%02" PRIx64 ": no page has this opcode", opcode);
        return NULL;
    }
    if (known->reserved) {
        fail(r, at, "0x%02" PRIx64 ": the layout of %s is not published", opcode, known->name);
        return NULL;
    }
    at = r->at;
    if (!number(r, 8, 0, &sub_opcode))
        return NULL;
    for (row = visa_instructions; row < visa_instructions + VISA_INSTRUCTIONS; row++)
        if (row->opcode == opcode && !row->reserved && row->sub_opcode == sub_opcode)
            return row;
    fail(r, at, "0x%02" PRIx64 " is no sub-opcode of %s", sub_opcode, known->family);
    return NULL;
}

size_t visa_decode(const uint8_t *code, size_t size, uint32_t version, visa_instruction *out,
                   visa_error *error)
{
    reader r = {code, 0, size, version, error};
    memset(out, 0, sizeof *out);
    out->bytes = code;
    out->version = version;
    out->page = page_of(&r);
    if (!out->page)
        return 0;
    out->form = form_of(&r, out->page);
    if (!out->form || !fields_of(&r, out->form, out->form->field_count, out->slots))
        return 0;
    return out->size = r.at;
}

/* ---- Printing. */

/* Text in progress: `length` counts what does not fit, too. Blanks wait for what follows them. */
typedef struct printer {
    char *buffer;
    size_t size, length, waiting;
    const visa_names *names;
    const visa_instruction *instruction;
} printer;

static void put_one(printer *p, char c)
{
    if (p->length + 1 < p->size)
        p->buffer[p->length] = c;
    p->length++;
}

static void put(printer *p, const char *text)
{
    for (; *text; text++) {
        if (*text == ' ') {
            p->waiting++;
            continue;
        }
        for (; p->waiting > 0; p->waiting--)
            put_one(p, ' ');
        put_one(p, *text);
    }
}

static void putf(printer *p, const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(p, text);
}

static void blanks(printer *p, int32_t count)
{
    for (; count > 0; count--)
        put(p, " ");
}

static void print_number(printer *p, int64_t value, int32_t format)
{
    const char *sign = value < 0 ? "-" : "";
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    switch (format) {
    case VISA_FORMAT_HEX:
        putf(p, "%s0x%" PRIx64, sign, magnitude);
        break;
    case VISA_FORMAT_UPPER_HEX:
    case VISA_FORMAT_BARE:
        putf(p, "%s0x%" PRIX64, sign, magnitude);
        break;
    case VISA_FORMAT_X:
        putf(p, "%s%" PRIx64, sign, magnitude);
        break;
    case VISA_FORMAT_X2:
        putf(p, "%s%02" PRIx64, sign, magnitude);
        break;
    case VISA_FORMAT_SIGNED:
        putf(p, "%s0x%" PRIx64, value < 0 ? "-" : "+", magnitude);
        break;
    case VISA_FORMAT_PLUS:
        putf(p, "%s%" PRIu64, value < 0 ? "-" : "+", magnitude);
        break;
    default:
        putf(p, "%s%" PRIu64, sign, magnitude);
        break;
    }
}

static const visa_predefined *predefined(int32_t table, uint32_t id)
{
    int i;
    for (i = 0; i < VISA_PREDEFINEDS; i++)
        if (visa_predefineds[i].table == table && (uint32_t)visa_predefineds[i].id == id)
            return &visa_predefineds[i];
    return NULL;
}

static int is_plain(const char *name)
{
    const char *c;
    if (!*name || (*name >= '0' && *name <= '9'))
        return 0;
    for (c = name; *c; c++)
        if (!((*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') ||
              *c == '_'))
            return 0;
    return 1;
}

static void print_index(printer *p, int32_t table, uint32_t id, int32_t format)
{
    static const char letters[] = {[VISA_TABLE_GENERAL] = 'V', [VISA_TABLE_ADDRESS] = 'A',
                                   [VISA_TABLE_PREDICATE] = 'P', [VISA_TABLE_SAMPLER] = 'S',
                                   [VISA_TABLE_SURFACE] = 'T', [VISA_TABLE_LABEL] = 'L',
                                   [VISA_TABLE_STRING] = 'N'};
    const visa_predefined *row = table == VISA_TABLE_SAMPLER ? NULL : predefined(table, id);
    char name[512];
    const char *c;
    int named = p->names->name && p->names->name(p->names->user, table, id, name, sizeof name);
    name[sizeof name - 1] = 0;
    if (!named && row)
        snprintf(name, sizeof name, "%s", row->name);
    else if (!named)
        snprintf(name, sizeof name, "%c%" PRIu32, letters[table], id);
    if (format != VISA_FORMAT_QUOTED && !(format == VISA_FORMAT_WORD && !is_plain(name))) {
        put(p, name);
        return;
    }
    put(p, "\"");
    for (c = name; *c; c++) {
        if (*c == '"' || *c == '\\')
            putf(p, "\\%c", *c);
        else if (*c == '\n' || *c == '\t' || *c == '\r')
            put(p, *c == '\n' ? "\\n" : *c == '\t' ? "\\t" : "\\r");
        else if ((unsigned char)*c < 0x20 || *c == 0x7f)
            putf(p, "\\%03o", (unsigned)(unsigned char)*c);
        else
            putf(p, "%c", *c);
    }
    put(p, "\"");
}

static const visa_part *part_of(int32_t list, int32_t position)
{
    return &visa_parts[visa_lists[list].parts + position];
}

static void print_part(printer *p, const visa_part *part, uint64_t bits, int32_t format);

/* Prints the items of a list's template. */
static void print_list_items(printer *p, const visa_item *item, const visa_item *end,
                             const visa_part *parts, uint64_t bits)
{
    const visa_item *inner;
    int shown;
    for (; item < end; item++) {
        if (item->kind == VISA_ITEM_TEXT)
            put(p, item->text);
        else if (item->kind == VISA_ITEM_SPACE)
            blanks(p, item->count);
        else if (item->kind == VISA_ITEM_FIELD)
            print_part(p, &parts[item->part], bits, item->format);
        else if (item->kind == VISA_ITEM_OPTIONAL) {
            for (shown = 0, inner = item + 1; inner <= item + item->count; inner++)
                if (inner->kind == VISA_ITEM_FIELD)
                    shown |= part_bits(&parts[inner->part], bits) !=
                             (uint64_t)parts[inner->part].default_value;
            if (!shown)
                item += item->count;
        }
    }
}

static void print_list(printer *p, int32_t list, uint64_t bits, int32_t format)
{
    const visa_list *row = &visa_lists[list];
    const visa_part *parts = &visa_parts[row->parts];
    const visa_value *value;
    int32_t i;
    if (row->enumeration) {
        value = value_of(list, bits);
        if (!value || format != VISA_FORMAT_PLAIN) {
            print_number(p, (int64_t)(bits >> row->lo), format);
            return;
        }
        for (i = value->newer; i < value->newer + value->newer_count; i++) {
            if (p->names->revision >= visa_newers[i].since) {
                put(p, visa_newers[i].text);
                return;
            }
        }
        put(p, value->text);
    } else if (format != VISA_FORMAT_PLAIN || row->style == VISA_STYLE_NUMBER) {
        print_number(p, (int64_t)bits, format);
    } else if (row->style == VISA_STYLE_FLAGS) {
        for (i = 0; i < row->part_count; i++)
            if (parts[i].kind == VISA_KIND_FLAG && part_bits(&parts[i], bits))
                put(p, parts[i].text);
    } else {
        print_list_items(p, &visa_items[row->items], &visa_items[row->items + row->item_count],
                         parts, bits);
    }
}

static void print_part(printer *p, const visa_part *part, uint64_t bits, int32_t format)
{
    uint64_t value = part_bits(part, bits);
    const visa_type *type;
    switch (part->kind) {
    case VISA_KIND_FLAG:
        put(p, value ? part->text : "");
        break;
    case VISA_KIND_LIST:
        print_list(p, part->list, value, format);
        break;
    case VISA_KIND_DATA_TYPE:
        type = type_of((int64_t)value);
        put(p, type ? type->name : "");
        break;
    case VISA_KIND_ZERO:
        break;
    default:
        print_number(p, (int64_t)value, format);
        break;
    }
}

static void print_predicate(printer *p, uint64_t bits)
{
    const visa_part *id = part_of(VISA_LIST_PREDICATE, VISA_PART_PREDICATE_ID);
    const visa_part *combine = part_of(VISA_LIST_PREDICATE, VISA_PART_PREDICATE_COMBINE);
    const visa_part *inverse = part_of(VISA_LIST_PREDICATE, VISA_PART_PREDICATE_INVERSE);
    const visa_value *word = value_of(combine->list, part_bits(combine, bits));
    if (bits == (uint64_t)visa_lists[VISA_LIST_PREDICATE].default_value)
        return;
    put(p, part_bits(inverse, bits) ? "(!" : "(");
    print_index(p, VISA_TABLE_PREDICATE, (uint32_t)part_bits(id, bits), VISA_FORMAT_PLAIN);
    if (word && *word->text) {
        put(p, ".");
        put(p, word->text);
    }
    put(p, ") ");
}

static void print_stride(printer *p, int32_t position, uint64_t bits, const char *after)
{
    const visa_part *part = part_of(VISA_LIST_REGION, position);
    const visa_value *value = value_of(part->list, part_bits(part, bits));
    if (value && *value->text) {
        put(p, value->text);
        put(p, after);
    }
}

static void print_region(printer *p, int64_t bits)
{
    put(p, "<");
    print_stride(p, VISA_PART_REGION_VERTICAL_STRIDE, (uint64_t)bits, ";");
    print_stride(p, VISA_PART_REGION_WIDTH, (uint64_t)bits, ",");
    print_stride(p, VISA_PART_REGION_HORIZONTAL_STRIDE, (uint64_t)bits, "");
    put(p, ">");
}

static void print_address(printer *p, int32_t table, uint32_t id, uint64_t offset)
{
    put(p, "&");
    print_index(p, table, id, VISA_FORMAT_PLAIN);
    if (offset)
        putf(p, "[%" PRIu64 "]", offset);
}

static uint64_t element_bytes(printer *p, uint32_t id)
{
    const visa_predefined *row = predefined(VISA_TABLE_GENERAL, id);
    int bits = p->names->element_bits ? p->names->element_bits(p->names->user, id) : 0;
    if (!bits && row && row->type >= 0)
        bits = (int)visa_types[row->type].bits;
    return bits ? ((uint64_t)bits + 7) / 8 : 1;
}

static uint64_t immediate(const visa_slot *m)
{
    uint64_t high = (uint64_t)m[VISA_MEMBER_CONST_OPND_HIGH].value;
    return (uint64_t)m[VISA_MEMBER_CONST_OPND_LOW].value | high << 32;
}

static void print_general(printer *p, const visa_slot *m, int32_t format)
{
    uint32_t id = (uint32_t)m[VISA_MEMBER_GEN_OPND_ID].value;
    int64_t row = m[VISA_MEMBER_GEN_OPND_ROW_OFFSET].value;
    int64_t column = m[VISA_MEMBER_GEN_OPND_COL_OFFSET].value;
    uint64_t bytes = p->names->register_bytes ? p->names->register_bytes : 32;
    if (format == VISA_FORMAT_ADDRESS) {
        print_address(p, VISA_TABLE_GENERAL, id,
                      (uint64_t)row * bytes + (uint64_t)column * element_bytes(p, id));
        return;
    }
    print_index(p, VISA_TABLE_GENERAL, id, VISA_FORMAT_PLAIN);
    if (format != VISA_FORMAT_BARE || row || column)
        putf(p, "(%" PRId64 ",%" PRId64 ")", row, column);
    if (format != VISA_FORMAT_BARE && format != VISA_FORMAT_PACKED)
        print_region(p, m[VISA_MEMBER_GEN_OPND_REGION].value);
}

static void print_indirect(printer *p, const visa_slot *m)
{
    const visa_structure *s = &visa_structures[VISA_STRUCTURE_INDIRECT_OPND];
    int32_t list = visa_members[s->members + VISA_MEMBER_INDIRECT_OPND_BIT_PROPERTIES].list, i;
    uint64_t properties = (uint64_t)m[VISA_MEMBER_INDIRECT_OPND_BIT_PROPERTIES].value;
    put(p, "r[");
    print_index(p, VISA_TABLE_ADDRESS, (uint32_t)m[VISA_MEMBER_INDIRECT_OPND_ID].value,
                VISA_FORMAT_PLAIN);
    putf(p, "(%" PRId64 "),%" PRId64 "]", m[VISA_MEMBER_INDIRECT_OPND_ADDR_OFFSET].value,
         m[VISA_MEMBER_INDIRECT_OPND_INDIRECT_OFFSET].value);
    print_region(p, m[VISA_MEMBER_INDIRECT_OPND_REGION].value);
    put(p, ":");
    for (i = 0; i < visa_lists[list].part_count; i++)
        if (part_of(list, i)->kind == VISA_KIND_DATA_TYPE)
            print_part(p, part_of(list, i), properties, VISA_FORMAT_PLAIN);
}

static void print_state(printer *p, const visa_slot *m, int32_t format)
{
    int surface = m[VISA_MEMBER_STATE_OPND_CLASS].value == VISA_VALUE_STATE_CLASS_SURFACE;
    int32_t table = surface ? VISA_TABLE_SURFACE : VISA_TABLE_SAMPLER;
    uint32_t id = (uint32_t)m[VISA_MEMBER_STATE_OPND_ID].value;
    int64_t offset = m[VISA_MEMBER_STATE_OPND_OFFSET].value;
    if (format == VISA_FORMAT_ADDRESS) {
        print_address(p, table, id, 4 * (uint64_t)offset);
        return;
    }
    print_index(p, table, id, VISA_FORMAT_PLAIN);
    putf(p, "(%" PRId64 ")", offset);
}

static void print_operand(printer *p, const operand *o, int32_t format)
{
    const visa_slot *m = o->values.slots;
    const visa_value *modifier = value_of(VISA_LIST_MODIFIER, (uint64_t)o->modifier);
    const visa_part *id = part_of(VISA_LIST_PREDICATE, VISA_PART_PREDICATE_ID);
    const visa_structure *address = &visa_structures[VISA_STRUCTURE_ADDR_OPND];
    const visa_type *type;
    put(p, modifier ? modifier->text : "");
    switch (o->kind) {
    case VISA_VALUE_OPERAND_CLASS_GENERAL:
        print_general(p, m, format);
        break;
    case VISA_VALUE_OPERAND_CLASS_ADDRESS:
        print_index(p, VISA_TABLE_ADDRESS, (uint32_t)m[VISA_MEMBER_ADDR_OPND_ID].value,
                    VISA_FORMAT_PLAIN);
        putf(p, "(%" PRId64 ")<", m[VISA_MEMBER_ADDR_OPND_OFFSET].value);
        print_list(p, visa_members[address->members + VISA_MEMBER_ADDR_OPND_WIDTH].list,
                   (uint64_t)m[VISA_MEMBER_ADDR_OPND_WIDTH].value, VISA_FORMAT_PLAIN);
        put(p, ">");
        break;
    case VISA_VALUE_OPERAND_CLASS_PREDICATE:
        print_index(p, VISA_TABLE_PREDICATE,
                    (uint32_t)part_bits(id, (uint64_t)m[VISA_MEMBER_PRED_OPND_VALUE].value),
                    VISA_FORMAT_PLAIN);
        break;
    case VISA_VALUE_OPERAND_CLASS_INDIRECT:
        print_indirect(p, m);
        break;
    case VISA_VALUE_OPERAND_CLASS_IMMEDIATE:
        if (format == VISA_FORMAT_BARE) {
            print_number(p, (int64_t)immediate(m), VISA_FORMAT_UPPER_HEX);
            break;
        }
        type = type_of(m[VISA_MEMBER_CONST_OPND_TYPE].value);
        putf(p, "0x%" PRIx64 ":%s", immediate(m), type ? type->name : "");
        break;
    default:
        print_state(p, m, format);
        break;
    }
}

/* Returns the operand whose values are the defaults: the first class, with zeros. */
static void null_operand(operand *out)
{
    int i;
    memset(out, 0, sizeof *out);
    for (i = 0; i < VISA_STRUCTURES; i++) {
        if (visa_structures[i].class_code >= 0) {
            out->kind = visa_structures[i].class_code;
            out->structure = &visa_structures[i];
            return;
        }
    }
}

/* Decodes an operand of the printed instruction again, at an offset. */
static size_t operand_at(const printer *p, size_t offset, operand *out)
{
    reader r = {p->instruction->bytes, offset, p->instruction->size, p->instruction->version, NULL};
    if (!vector(&r, out))
        null_operand(out);
    return r.at;
}

static size_t raw_at(const printer *p, size_t offset, members *out)
{
    reader r = {p->instruction->bytes, offset, p->instruction->size, p->instruction->version, NULL};
    if (!raw(&r, out))
        memset(out, 0, sizeof *out);
    return r.at;
}

/* Tests whether a field differs from the default of its type. */
static int differs(const printer *p, const visa_field *row, const visa_slot *slot)
{
    operand o;
    members m;
    int32_t i;
    if (!slot->present)
        return 0;
    if (row->kind == VISA_KIND_RAW) {
        raw_at(p, slot->offset, &m);
        return m.slots[VISA_MEMBER_RAW_OPERAND_ID].value != 0 ||
               m.slots[VISA_MEMBER_RAW_OPERAND_OFFSET].value != 0;
    }
    if (row->kind == VISA_KIND_VECTOR || row->kind == VISA_KIND_SCALAR) {
        operand null;
        null_operand(&null);
        operand_at(p, slot->offset, &o);
        if (o.kind == VISA_VALUE_OPERAND_CLASS_IMMEDIATE)
            return immediate(o.values.slots) != 0;
        if (o.kind != null.kind || o.modifier != null.modifier)
            return 1;
        for (i = 0; i < o.structure->member_count; i++)
            if (o.values.slots[i].value != 0)
                return 1;
        return 0;
    }
    return slot->value != (row->list >= 0 ? visa_lists[row->list].default_value : 0);
}

static uint64_t bits_of(const visa_field *row, const visa_slot *slot)
{
    return (uint64_t)(slot->present ? slot->value : visa_lists[row->list].default_value);
}

static int is_shown(const printer *p, const visa_item *item)
{
    const visa_field *row = &visa_fields[p->instruction->form->fields + item->field];
    const visa_slot *slots = p->instruction->slots, *slot = &slots[item->field];
    const visa_part *part;
    int shown;
    if (item->part >= 0) {
        part = part_of(row->list, item->part);
        return part_bits(part, bits_of(row, slot)) != (uint64_t)part->default_value;
    }
    if (row->condition >= 0)
        shown = slot->present;
    else if (row->counter >= 0)
        shown = slot->count > 0;
    else if (row->kind == VISA_KIND_NUMBER || row->kind == VISA_KIND_INDEX_BY ||
             row->kind == VISA_KIND_INDEX)
        shown = slot->value != row->default_value;
    else
        shown = differs(p, row, slot);
    return shown || (row->default_condition >= 0 && !holds(row->default_condition, slots));
}

static int32_t selected_table(const visa_field *row, const visa_slot *slots)
{
    uint64_t code = (uint64_t)slots[row->of].value >> row->lo & mask(row->width);
    int32_t i;
    for (i = row->numbers; i < row->numbers + row->number_count; i += 2)
        if ((uint64_t)visa_numbers[i].value == code)
            return (int32_t)visa_numbers[i + 1].value;
    return VISA_TABLE_GENERAL;
}

/* Prints one repetition of a field at an offset; returns the offset after it. */
static size_t print_one(printer *p, const visa_field *row, const visa_slot *slot, size_t offset,
                        int32_t format)
{
    const visa_slot *slots = p->instruction->slots;
    reader r = {p->instruction->bytes, offset, p->instruction->size, p->instruction->version, NULL};
    const visa_storage *stored = storage(row->storages, row->storage_count, r.version);
    int64_t value = slot->value, byte;
    operand o;
    members m;
    switch (row->kind) {
    case VISA_KIND_LIST:
    case VISA_KIND_PREDICATE:
        print_list(p, row->list, bits_of(row, slot), format);
        return offset + (size_t)visa_lists[row->list].bits / 8;
    case VISA_KIND_VECTOR:
    case VISA_KIND_SCALAR:
        if (!slot->present)
            null_operand(&o);
        else
            offset = operand_at(p, offset, &o);
        print_operand(p, &o, format);
        return offset;
    case VISA_KIND_RAW:
        memset(&m, 0, sizeof m);
        if (slot->present)
            offset = raw_at(p, offset, &m);
        print_index(p, VISA_TABLE_GENERAL, (uint32_t)m.slots[VISA_MEMBER_RAW_OPERAND_ID].value,
                    VISA_FORMAT_PLAIN);
        byte = m.slots[VISA_MEMBER_RAW_OPERAND_OFFSET].value;
        if (format == VISA_FORMAT_NAME ? p->names->full && byte : format == VISA_FORMAT_PLAIN || byte)
            putf(p, ".%" PRId64, byte);
        return offset;
    case VISA_KIND_ZERO:
    case VISA_KIND_COPY:
        return offset;
    default:
        break;
    }
    if (row->counter >= 0 && number(&r, stored->bits, stored->is_signed, &value))
        offset = r.at;
    if (row->kind == VISA_KIND_INDEX)
        print_index(p, row->table, (uint32_t)value, format);
    else if (row->kind == VISA_KIND_INDEX_BY)
        print_index(p, selected_table(row, slots), (uint32_t)value, format);
    else
        print_number(p, value, format);
    return offset;
}

static void print_field(printer *p, const visa_field *row, const visa_slot *slot, int32_t format)
{
    int labels = row->kind == VISA_KIND_INDEX && row->table == VISA_TABLE_LABEL;
    size_t offset = slot->offset;
    uint32_t i;
    if (!slot->present && !row->text_only)
        return;
    for (i = 0; i < (row->text_only ? 1 : slot->count); i++) {
        if (i > 0)
            put(p, labels ? ", " : " ");
        offset = print_one(p, row, slot, offset, format);
    }
}

static void print_items(printer *p, const visa_item *item, const visa_item *end)
{
    const visa_field *fields = &visa_fields[p->instruction->form->fields], *row;
    const visa_slot *slots = p->instruction->slots;
    const visa_item *inner;
    operand o;
    int shown;
    for (; item < end; item++) {
        switch (item->kind) {
        case VISA_ITEM_TEXT:
            put(p, item->text);
            break;
        case VISA_ITEM_SPACE:
            blanks(p, item->count);
            break;
        case VISA_ITEM_PREDICATE:
            if (slots[item->field].present)
                print_predicate(p, (uint64_t)slots[item->field].value);
            break;
        case VISA_ITEM_SATURATION:
            operand_at(p, slots[item->field].offset, &o);
            if (slots[item->field].present && o.modifier == VISA_VALUE_MODIFIER_SAT)
                put(p, item->text);
            break;
        case VISA_ITEM_OPTIONAL:
            for (shown = 0, inner = item + 1; inner <= item + item->count; inner++)
                if (inner->kind == VISA_ITEM_FIELD && is_shown(p, inner))
                    shown = 1;
            if (!shown)
                item += item->count;
            break;
        default:
            row = &fields[item->field];
            if (item->part >= 0)
                print_part(p, part_of(row->list, item->part), bits_of(row, &slots[item->field]),
                           item->format);
            else
                print_field(p, row, &slots[item->field], item->format);
            break;
        }
    }
}

static int applies(const printer *p, const visa_text *text)
{
    const visa_instruction *instruction = p->instruction;
    const visa_field *fields = &visa_fields[instruction->form->fields];
    int said = text->said_count == 0;
    int32_t i, at;
    if ((text->full && !p->names->full) || p->names->revision < text->since ||
        p->names->revision >= text->before)
        return 0;
    for (i = text->said; i < text->said + text->said_count; i++) {
        at = (int32_t)visa_numbers[i].value;
        said |= differs(p, &fields[at], &instruction->slots[at]);
    }
    for (i = text->conditions; i < text->conditions + text->condition_count; i++)
        if (!holds(i, instruction->slots))
            return 0;
    return said;
}

size_t visa_print(const visa_instruction *instruction, const visa_names *names, char *buffer,
                  size_t size)
{
    static const visa_names plain = {0};
    printer p = {buffer, size, 0, 0, names ? names : &plain, instruction};
    const visa_form *form = instruction->form;
    int32_t i;
    for (i = form->texts; i < form->texts + form->text_count; i++) {
        const visa_text *text = &visa_texts[i];
        if (applies(&p, text)) {
            print_items(&p, &visa_items[text->items], &visa_items[text->items + text->item_count]);
            break;
        }
    }
    if (size > 0)
        buffer[p.length < size ? p.length : size - 1] = 0;
    return p.length;
}

/* ---- Objects. */

const char *visa_string(const visa_routine *routine, uint32_t id)
{
    const char *string = routine->strings;
    if (id >= routine->string_count)
        return NULL;
    for (; id > 0; id--)
        string += strlen(string) + 1;
    return string;
}

/* Receiver of the header's entries, which calls the user for each routine. */
typedef struct routines {
    sink base;
    reader *file;
    int kind, result;
    int (*each)(void *user, const visa_routine *routine);
    void *user;
} routines;

static int routine(routines *to, const visa_slot *name, uint64_t offset, uint64_t size,
                   int32_t tables)
{
    int kernel = tables == VISA_STRUCTURE_KERNEL_DATA;
    reader *file = to->file, r = *file;
    visa_routine out;
    members values;
    const visa_slot *strings = &values.slots[kernel ? VISA_MEMBER_KERNEL_DATA_STRING_POOL
                                                    : VISA_MEMBER_FUNCTION_DATA_STRING_POOL];
    if (offset > file->end || size > file->end - offset)
        return fail(file, (size_t)offset, "the routine of %" PRIu64 " bytes ends after the file", size);
    r.at = (size_t)offset;
    r.end = (size_t)(offset + size);
    if (!structure(&r, tables, -1, &values, NULL))
        return 0;
    out.name = (const char *)file->bytes + name->offset;
    out.name_size = name->count;
    out.is_kernel = kernel;
    out.version = file->version;
    out.code = file->bytes + r.at;
    out.code_size = r.end - r.at;
    out.strings = (const char *)file->bytes + strings->offset;
    out.string_count = strings->count;
    if (to->result == 0)
        to->result = to->each(to->user, &out);
    return 1;
}

static int entry(sink *base, int kind, const members *values)
{
    routines *to = (routines *)base;
    const visa_slot *m = values->slots;
    if (kind == VISA_STRUCTURE_KERNEL_INFO && to->kind == kind)
        return routine(to, &m[VISA_MEMBER_KERNEL_INFO_NAME],
                       (uint64_t)m[VISA_MEMBER_KERNEL_INFO_OFFSET].value,
                       (uint64_t)m[VISA_MEMBER_KERNEL_INFO_SIZE].value, VISA_STRUCTURE_KERNEL_DATA);
    if (kind == VISA_STRUCTURE_FUNCTION_INFO && to->kind == kind)
        return routine(to, &m[VISA_MEMBER_FUNCTION_INFO_NAME],
                       (uint64_t)m[VISA_MEMBER_FUNCTION_INFO_OFFSET].value,
                       (uint64_t)m[VISA_MEMBER_FUNCTION_INFO_SIZE].value,
                       VISA_STRUCTURE_FUNCTION_DATA);
    return 1;
}

int visa_object(const uint8_t *bytes, size_t size,
                int (*each)(void *user, const visa_routine *routine), void *user,
                visa_error *error)
{
    static const int kinds[] = {VISA_STRUCTURE_KERNEL_INFO, VISA_STRUCTURE_FUNCTION_INFO};
    reader file = {bytes, 0, size, 0, error};
    routines to = {{entry}, &file, 0, 0, each, user};
    members head;
    size_t i;
    /* The version precedes every member whose layout depends on it. */
    if (!structure(&file, VISA_STRUCTURE_COMMON_ISA_HEADER,
                   VISA_MEMBER_COMMON_ISA_HEADER_NUM_KERNELS, &head, NULL))
        return -1;
    file.version = VISA_VERSION((uint32_t)head.slots[VISA_MEMBER_COMMON_ISA_HEADER_MAJOR_VERSION].value,
                                (uint32_t)head.slots[VISA_MEMBER_COMMON_ISA_HEADER_MINOR_VERSION].value);
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        file.at = 0;
        to.kind = kinds[i];
        if (!structure(&file, VISA_STRUCTURE_COMMON_ISA_HEADER, -1, &head, &to.base))
            return -1;
    }
    return to.result;
}
