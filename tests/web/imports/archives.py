import io
import struct
import zlib

import openpyxl


def lying_archive(name, megabytes):
    """A zip whose one part says that it has 1,000 letters, and has many more."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = b"".join(packer.compress(b" " * 2**20) for _ in range(megabytes)) + packer.flush()
    sizes = (zlib.crc32(b" " * 1000), len(data), 1000, len(name), 0)
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 0, *sizes) + name + data
    entry = struct.pack("<IHHHHHHIIIHH", 0x02014B50, 20, 20, 0, 8, 0, 0, *sizes)
    entry += struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(entry), len(local), 0)
    return local + entry + end


def workbook(*rows):
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(out)
    return out.getvalue()
