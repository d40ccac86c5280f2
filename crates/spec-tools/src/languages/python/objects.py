"""Reader of vISA objects: the header, and the kernels and functions with their instructions."""

from . import isa
from . import tables as t


# Name of the member with the strings.
_STRINGS = t.MEMBERS[t.STRUCTURES[t.STRUCTURE_KERNEL_DATA].members + t.MEMBER_KERNEL_DATA_STRING_POOL].name


class RoutineNames(isa.Names):
    """Names of a routine: the strings of its pool."""

    def __init__(self, tables):
        self._tables = tables

    def name(self, table, id):
        strings = self._tables[_STRINGS]
        if table == t.TABLE_STRING and id < len(strings):
            return strings[id].decode("utf-8", "replace")
        return super().name(table, id)


class Routine:
    """Kernel or function of an object.

    Attributes:
        name: name as text.
        is_kernel: False for a function.
        tables: values of the members of its structure, by name.
        code: bytes of its instructions.
        instructions: decoded instructions.
        names: names for `Instruction.text`.
    """

    def __init__(self, name, is_kernel, tables, code, version):
        self.name, self.is_kernel, self.tables, self.code = name, is_kernel, tables, code
        self.instructions = isa.decode_all(code, version)
        self.names = RoutineNames(tables)


class Object:
    """Object file.

    Attributes:
        version: major and minor version.
        routines: kernels, then functions, in the order of the header.
    """

    def __init__(self, data):
        reader = isa.Reader(data)
        # The version precedes every member whose layout depends on it.
        start = t.STRUCTURES[t.STRUCTURE_COMMON_ISA_HEADER]
        self.version = (4, 1)
        head = isa._members(start._replace(member_count=t.MEMBER_COMMON_ISA_HEADER_NUM_KERNELS), reader, 0)
        self.version = (
            head[t.MEMBER_COMMON_ISA_HEADER_MAJOR_VERSION],
            head[t.MEMBER_COMMON_ISA_HEADER_MINOR_VERSION],
        )
        version = 256 * self.version[0] + self.version[1]
        header = isa._members(start, isa.Reader(data), version)
        self.routines = []
        for info in header[t.MEMBER_COMMON_ISA_HEADER_KERNEL_INFO]:
            place = (info[t.MEMBER_KERNEL_INFO_OFFSET], info[t.MEMBER_KERNEL_INFO_SIZE])
            name = info[t.MEMBER_KERNEL_INFO_NAME]
            self.routines.append(self._routine(data, name, place, t.STRUCTURE_KERNEL_DATA))
        for info in header[t.MEMBER_COMMON_ISA_HEADER_FUNCTION_INFO]:
            place = (info[t.MEMBER_FUNCTION_INFO_OFFSET], info[t.MEMBER_FUNCTION_INFO_SIZE])
            name = info[t.MEMBER_FUNCTION_INFO_NAME]
            self.routines.append(self._routine(data, name, place, t.STRUCTURE_FUNCTION_DATA))

    def _routine(self, data, name, place, structure):
        offset, size = place
        if offset > len(data) or size > len(data) - offset:
            raise isa.DecodeError(offset, f"the routine of {size} bytes ends after the file")
        reader = isa.Reader(data, offset, offset + size)
        row = t.STRUCTURES[structure]
        version = 256 * self.version[0] + self.version[1]
        values = isa._members(row, reader, version)
        names = [m.name for m in t.MEMBERS[row.members : row.members + row.member_count]]
        # The code follows the tables.
        code = reader.bytes(reader.end - reader.at)
        kernel = structure == t.STRUCTURE_KERNEL_DATA
        return Routine(name.decode("utf-8", "replace"), kernel, dict(zip(names, values)), code, self.version)
