"""The file side of agentrl-load: finds rollout files, unpacks them, and cuts them
into documents for import_rollouts(), each small enough to send.
"""
import codecs
import collections
import gzip
import hashlib
import json
import mmap
import os
import re
import shutil
import struct
import subprocess
import tempfile
import zipfile
import zlib

MAX_DOC = 256 << 20  # larger documents are cut into elements; text ends at 1 GB
BATCH_BYTES = 8 << 20
CHUNK = 1 << 20
REPLACEMENT = "\ufffd".encode()
ROLLOUT_NAMES = (".json", ".jsonl", ".traj", ".eval")
PACKED_NAMES = (".gz", ".zst")
OTHER_PACKED_NAMES = (".bz2", ".xz", ".lz4", ".zip", ".7z", ".tar", ".tgz", ".lzma", ".br")
ZIP_ZSTD = 93

# One document for import_rollouts.
# line: line in a JSONL file, number of the sample in an archive, None for a whole file
# base: rollouts of the file that stand before this document's first
# at: the ordinal to report when it cannot be read; None where the line says enough
# pieces: a function giving the same rollouts one by one, for when the whole cannot be read
Doc = collections.namedtuple("Doc", "line base data outcome at pieces", defaults=(None, None, None))
Bad = collections.namedtuple("Bad", "line ordinal reason")


class Unreadable(Exception):
    """This file, or the rest of it, cannot be read."""


# ---------------------------------------------------------------- reading bytes


def zstd_command():
    command = shutil.which("zstd")
    if command is None:
        raise Unreadable("zstd compression needs the command zstd, which is not installed")
    return command


class ZstdReader:
    """The unpacked bytes of an open file, through the zstd command."""

    def __init__(self, packed):
        command = zstd_command()
        self.complaint = tempfile.TemporaryFile()
        self.process = subprocess.Popen([command, "-dcq", "--long=31"], stdin=packed,
                                        stdout=subprocess.PIPE, stderr=self.complaint)
        self.stdout = self.process.stdout

    def check(self, data):
        if not data and self.process.wait() != 0:
            self.complaint.seek(0)
            said = self.complaint.read().decode("utf-8", "replace").strip()
            raise Unreadable("zstd: " + (said.splitlines() or ["cannot unpack"])[-1])
        return data

    def read(self, size):
        return self.check(self.stdout.read(size))

    def readline(self, size):
        return self.check(self.stdout.readline(size))

    def close(self):
        self.stdout.close()
        self.process.terminate()
        self.process.wait()
        self.complaint.close()


class GzipReader:
    """The unpacked bytes of a .gz file; damage is an Unreadable with a reason."""

    def __init__(self, path):
        self.file = gzip.open(path, "rb")

    def guarded(self, call, size):
        try:
            return call(size)
        except EOFError:
            raise Unreadable("the gzip data ends early: the file is torn") from None
        except (OSError, zlib.error) as e:
            raise Unreadable(f"not valid gzip data ({e})") from None

    def read(self, size):
        return self.guarded(self.file.read, size)

    def readline(self, size):
        return self.guarded(self.file.readline, size)

    def close(self):
        self.file.close()


def open_bytes(path):
    with open(path, "rb") as file:
        magic = file.read(6)
    if magic[:2] == b"\x1f\x8b":
        return GzipReader(path)
    if magic[:4] == b"\x28\xb5\x2f\xfd":
        with open(path, "rb") as packed:
            return ZstdReader(packed)
    for start, name in ((b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"\x04\x22\x4d\x18", "lz4"),
                        (b"7z\xbc\xaf", "7z"), (b"PK\x03\x04", "zip")):
        if magic.startswith(start):
            raise Unreadable(f"unsupported compression: {name}")
    return open(path, "rb")


def is_utf8(data):
    # In pieces: decoded text takes up to four times the memory.
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), CHUNK):
            decoder.decode(data[start:start + CHUNK])
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return False
    return True


def mend(data):
    """Text cannot carry NUL bytes or bad UTF-8: returns (data, note or None)."""
    notes = []

    def note(count, what):
        notes.append(f"{count} {what}{'s' if count > 1 else ''} became U+FFFD")

    nul = data.count(b"\0")
    if nul:
        data = data.replace(b"\0", REPLACEMENT)
        note(nul, "raw NUL byte")
    if not is_utf8(data):
        before = data.count(REPLACEMENT)
        data = data.decode("utf-8", "replace").encode()
        note(data.count(REPLACEMENT) - before, "invalid UTF-8 sequence")
    return data, "; ".join(notes) or None


# ------------------------------------------------------- cutting large documents

# A run of "key": scalar pairs is one token: most of a document is made of them, and
# no boundary or bracket stands in one. A lone quote opens a torn string.
STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
PAIR = STRING + rb'\s*:\s*(?:' + STRING + rb'|[^"\[\]{},\s][^"\[\]{},]*)\s*,?\s*'
TOKEN = re.compile(b"(?:" + PAIR + b"){1,64}|" + STRING + rb'|[\[\]{},]|"', re.DOTALL)


def balanced_end(data, start=0):
    """Offset behind the JSON object or array at start, or None when it does not end."""
    depth = 0
    for match in TOKEN.finditer(data, start):
        c = data[match.start()]
        if c in b"[{":
            depth += 1
        elif c in b"]}":
            depth -= 1
            if depth <= 0:
                return match.end()
        elif match.end() == match.start() + 1 and c == 0x22:
            return None
    return None


def outline(data):
    """Where the elements of a document's largest list stand.

    Returns (head, tail, elements): the bytes before and after the list's elements, and
    (start, end) of each. The list is the document itself, or the longest list that is the
    value of one of the document's keys.
    """
    depth, start, best, current = 0, None, None, None
    list_depth = 1
    end = 0
    for match in TOKEN.finditer(data):
        at, c = match.start(), data[match.start()]
        if c == 0x22 and match.end() == at + 1:
            raise Unreadable("torn: a string does not end")
        if c in b"[{":
            depth += 1
            if depth == 1:
                list_depth = 1 if c == 0x5B else 2
            if depth == list_depth and c == 0x5B and current is None:
                current, start = [at + 1, []], at + 1
        elif current is not None and depth == list_depth and c in b",]":
            if data[start:at].strip():
                current[1].append((start, at))
            start = at + 1
            if c == 0x5D:
                if best is None or at - current[0] > best[2] - best[0]:
                    best = (current[0], current[1], at)
                current = None
        if c in b"]}":
            depth -= 1
            if depth < 0:
                raise Unreadable("not JSON: a bracket closes that was never opened")
            if depth == 0:
                end = match.end()
                break
    if depth != 0 or end == 0:
        raise Unreadable("torn: the document does not end")
    if best is None:
        raise Unreadable("the document is over 256 MB and holds no list of rollouts to cut it at")
    if data[end:end + 4096].strip():
        raise Unreadable("not JSON: something follows the document's end")
    return data[:best[0]], data[best[2]:end], best[1]


def elements_as_docs(data):
    head, tail, elements = outline(data)
    if len(head) + len(tail) > MAX_DOC // 4:
        raise Unreadable("the document is over 256 MB, and too much of it stands outside its largest list")

    def wrap(some):
        return head + b",".join(data[a:b] for a, b in some) + tail

    def pieces_of(some, base):
        return lambda: (Doc(None, base + i, wrap([e]), at=base + i + 1) for i, e in enumerate(some))

    limit = max(BATCH_BYTES, 4 * (len(head) + len(tail)))
    some, size, base = [], 0, 0
    for element in elements:
        length = element[1] - element[0]
        if length > MAX_DOC:
            raise Unreadable(f"rollout {base + len(some) + 1} alone is over 256 MB")
        if some and size + length > limit:
            yield Doc(None, base, wrap(some), pieces=pieces_of(some, base))
            base, some, size = base + len(some), [], 0
        some.append(element)
        size += length
    if some:
        yield Doc(None, base, wrap(some), pieces=pieces_of(some, base))


# ------------------------------------------------------------ files to documents


def is_jsonl(path, reader):
    """Is this a document a line, or one document? Names lie: BFCL's .json files hold lines."""
    start = reader.peek(CHUNK)
    first, newline, rest = start.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    first = first.strip()
    if strip_packed(path.lower()).endswith(".jsonl"):
        return first not in (b"{", b"[")
    if first[:1] not in (b"{", b"["):
        return False
    if not newline and len(start) == CHUNK:
        # A first line this long is a whole document; do more follow?
        return bool(reader.peek(MAX_DOC).lstrip().partition(b"\n")[2].strip())
    return balanced_end(first) == len(first) and bool(rest.strip())


class Counted:
    """A reader that can be peeked into, and hashes what it hands out."""

    def __init__(self, reader, meter=None):
        self.reader, self.meter = reader, meter
        self.sha, self.size = hashlib.sha256(), 0
        self.front, self.at = b"", 0

    def peek(self, size):
        pieces = [self.front]
        have = len(self.front)
        while have < size:
            more = self.reader.read(size - have)
            if not more:
                break
            pieces.append(more)
            have += len(more)
        self.front = b"".join(pieces)
        return self.front

    def take_front(self, end):
        data = self.front[self.at:end]
        self.at += len(data)
        if self.at >= len(self.front):
            self.front, self.at = b"", 0
        return data

    def note(self, data):
        self.sha.update(data)
        self.size += len(data)
        if self.meter:
            self.meter.add(len(data), 0)
        return data

    def read(self, size):
        return self.note(self.take_front(self.at + size) or self.reader.read(size))

    def readline(self, size):
        end = self.front.find(b"\n", self.at, self.at + size) + 1
        data = self.take_front(end or self.at + size)
        if not data.endswith(b"\n") and len(data) < size:
            data += self.reader.readline(size - len(data))
        return self.note(data)


def jsonl_docs(reader, partner):
    number = 0
    while True:
        line = reader.readline(MAX_DOC)
        if not line:
            return
        number += 1
        if len(line) == MAX_DOC and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = reader.readline(MAX_DOC)
            yield Bad(number, None, "the line is longer than 256 MB")
            continue
        line = line.strip(b" \t\r\n")
        if line in (b"", b"\xef\xbb\xbf"):
            continue
        outcome = partner.outcome_of_line(line) if partner else None
        yield Doc(number, 0, line, outcome)


def whole_docs(reader, partner):
    data = []
    size = 0
    while size <= MAX_DOC:
        piece = reader.read(CHUNK)
        if not piece:
            break
        data.append(piece)
        size += len(piece)
    if size <= MAX_DOC:
        data = b"".join(data)
        if data.strip(b" \t\r\n\xef\xbb\xbf"):
            yield Doc(None, 0, data, partner.text if partner else None)
        return
    with tempfile.TemporaryFile() as spool:
        for piece in data:
            spool.write(piece)
        data = None
        while True:
            piece = reader.read(CHUNK)
            if not piece:
                break
            spool.write(piece)
        spool.flush()
        with mmap.mmap(spool.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            yield from elements_as_docs(mapped)


def file_docs(path, reader, partner):
    if reader.peek(CHUNK)[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Unreadable("UTF-16 text: convert it to UTF-8 first")
    if is_jsonl(path, reader):
        yield from jsonl_docs(reader, partner)
    else:
        yield from whole_docs(reader, partner)


def zip_member(path, archive, info):
    """The bytes of one member; zipfile of this Python does not know zstd (method 93)."""
    if info.file_size > MAX_DOC:
        raise Unreadable(f"{info.filename} is over 256 MB")
    if info.compress_type != ZIP_ZSTD:
        try:
            return archive.read(info)
        except NotImplementedError:
            raise Unreadable(f"{info.filename}: unsupported compression "
                             f"(method {info.compress_type})") from None
        except (zipfile.BadZipFile, zlib.error, EOFError) as e:
            raise Unreadable(f"{info.filename}: damaged ({e})") from None
    with open(path, "rb") as file, tempfile.TemporaryFile() as packed:
        file.seek(info.header_offset)
        header = file.read(30)
        if len(header) < 30 or header[:4] != b"PK\x03\x04":
            raise Unreadable(f"{info.filename}: damaged (no local header)")
        name_size, extra_size = struct.unpack("<HH", header[26:30])
        file.seek(name_size + extra_size, os.SEEK_CUR)
        packed.write(file.read(info.compress_size))
        packed.seek(0)
        reader = ZstdReader(packed)
        try:
            # One byte more than there should be: what an archive says of itself may be wrong.
            data = reader.read(info.file_size + 1)
        except Unreadable as e:
            raise Unreadable(f"{info.filename}: damaged ({e})") from None
        finally:
            reader.close()
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise Unreadable(f"{info.filename}: damaged (it is not what the archive says)")
    return data


def eval_header(path, archive):
    """What the samples of an Inspect log share, without what grows with their number; {}: not known."""
    for name in ("header.json", "_journal/start.json"):
        try:
            header = json.loads(zip_member(path, archive, archive.getinfo(name)))
        except (KeyError, ValueError, Unreadable):
            continue
        evaluation = header.get("eval") if isinstance(header, dict) else None
        if not isinstance(evaluation, dict):
            continue
        for key in ("samples", "results", "reductions", "stats"):
            header.pop(key, None)
        if isinstance(evaluation.get("dataset"), dict):
            evaluation["dataset"].pop("sample_ids", None)
        return header
    return {}


class EvalReader:
    """An Inspect log in its archive: read by its samples, not as one stream of bytes."""

    def __init__(self, path):
        self.path = path
        try:
            self.archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, EOFError, struct.error) as e:
            raise Unreadable(f"not a whole zip archive ({e})") from None

    def samples(self):
        """(number, bytes) of each sample, or a Bad in place of the bytes."""
        members = sorted(i for i in self.archive.namelist()
                         if i.startswith("samples/") and i.endswith(".json"))
        for number, name in enumerate(members, 1):
            try:
                yield number, zip_member(self.path, self.archive, self.archive.getinfo(name))
            except Unreadable as e:
                yield number, Bad(number, None, str(e))

    def docs(self, counted):
        """Each sample as the .json log would hold it: the header with one sample in its list."""
        header = eval_header(self.path, self.archive)
        opening = json.dumps(header).encode()[:-1] + b', "samples": [' if header else b""
        for number, sample in self.samples():
            if isinstance(sample, Bad):
                yield sample
                continue
            counted.note(sample)
            yield Doc(number, 0, opening + sample + (b"]}" if header else b""))

    def close(self):
        self.archive.close()


def open_content(path):
    if os.path.isdir(path):
        raise Unreadable("a folder that cannot be listed")
    if not os.path.isfile(path) and os.path.exists(path):
        raise Unreadable("not a regular file")
    with open(path, "rb") as file:
        is_zip = file.read(4) == b"PK\x03\x04"
    return EvalReader(path) if is_zip and path.lower().endswith(".eval") else open_bytes(path)


def content_docs(path, counted, partner):
    """All documents of a file, in order; counted has seen all of its content then."""
    archive = isinstance(counted.reader, EvalReader)
    found = False
    for doc in counted.reader.docs(counted) if archive else file_docs(path, counted, partner):
        found = True
        yield doc
    while not archive and counted.read(CHUNK):
        pass
    if archive and not found:
        yield Bad(None, None, "the archive holds no samples")
    elif not found:
        yield Bad(None, None, "the file holds only white space" if counted.size else "the file is empty")


def content_hash(path):
    """SHA-256 of what a file holds, whatever it is packed in; of its readable part if torn."""
    reader = open_content(path)
    counted = Counted(reader)
    try:
        if isinstance(reader, EvalReader):
            for _ in reader.docs(counted):
                pass
        else:
            while counted.read(CHUNK):
                pass
    except Unreadable:
        pass
    finally:
        reader.close()
    return counted.sha


# ------------------------------------------------------------------ second files


class Partner:
    """A second file that holds the outcome of a first file's rollouts."""

    def __init__(self, path, by_line):
        self.path = path
        self.by_line = by_line
        self.text = None
        self.lines = {}

    def load(self):
        reader = open_bytes(self.path)
        try:
            raw = reader.read(MAX_DOC + 1)
        finally:
            reader.close()
        if len(raw) > MAX_DOC:
            raise Unreadable(f"{self.path} is over 256 MB")
        self.text = raw
        if not self.by_line:
            return
        # BFCL scores: a line of totals, then a line for each entry that failed.
        self.lines = collections.defaultdict(list)
        for line in raw.splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict):
                self.lines[str(entry.get("id", ""))].append(line)

    def outcome_of_line(self, line):
        """The totals and this entry's own line, so that no line carries the whole file."""
        try:
            entry = json.loads(line)
        except ValueError:
            return None
        if not isinstance(entry, dict):
            return None
        own = self.lines.get(str(entry.get("id")), [])
        return b"\n".join(self.lines.get("", []) + own)


def looks_like_trial_result(path):
    try:
        if os.path.getsize(path) > CHUNK * 16:
            return False
        with open(path, "rb") as file:
            result = json.load(file)
    except (OSError, ValueError):
        return False
    return isinstance(result, dict) and any(
        key in result for key in ("verifier_result", "trial_name", "is_resolved", "task_name"))


def find_partner(path):
    folder, name = os.path.split(path)
    base = strip_packed(name)
    if base.endswith("_result.json"):
        score = base[:-len("_result.json")] + "_score.json"
        folders = [folder]
        parts = folder.split(os.sep)
        for i in range(len(parts) - 1, -1, -1):
            if parts[i].startswith("result"):
                twin = "score" + parts[i][len("result"):]
                folders.append(os.sep.join(parts[:i] + [twin] + parts[i + 1:]))
        for place in folders:
            if os.path.isfile(os.path.join(place, score)):
                return Partner(os.path.join(place, score), True)
    if "trajectory" in base and base.endswith(".json"):
        for place in (folder, os.path.dirname(folder)):
            result = os.path.join(place, "result.json")
            if os.path.isfile(result) and looks_like_trial_result(result):
                return Partner(result, False)
    return None


# ------------------------------------------------------------------ finding files


def printable(path):
    """A path as text: file names may hold any bytes."""
    return os.fsencode(path).decode("utf-8", "replace")


def strip_packed(name):
    for end in PACKED_NAMES:
        if name.endswith(end):
            return name[:-len(end)]
    return name


def why_skipped(name):
    """Why a file of a folder is no rollout file, or None when it may be one."""
    low = name.lower()
    if name.startswith("."):
        return "hidden"
    for end in OTHER_PACKED_NAMES:
        if low.endswith(end):
            inner = low[:-len(end)]
            return None if inner.endswith(ROLLOUT_NAMES) else f"{end} is no rollout file"
    if strip_packed(low).endswith(ROLLOUT_NAMES):
        return None
    end = os.path.splitext(low)[1]
    return f"{end} is no rollout file" if end else "no extension"


def find_files(paths, tell):
    files, seen = [], set()

    def add(path):
        real = os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            files.append(os.path.abspath(path))

    def unreadable_folder(error):
        files.append(os.path.abspath(error.filename))

    for path in paths:
        if not os.path.isdir(path):
            add(path)
            continue
        for folder, folders, names in os.walk(path, onerror=unreadable_folder):
            folders.sort()
            for hidden in [f for f in folders if f.startswith(".")]:
                tell(f"skipped {printable(os.path.join(folder, hidden))}: hidden")
                folders.remove(hidden)
            for name in sorted(names):
                reason = why_skipped(name)
                if reason:
                    tell(f"skipped {printable(os.path.join(folder, name))}: {reason}")
                else:
                    add(os.path.join(folder, name))
    partners = {f: find_partner(f) for f in files}
    second = {os.path.realpath(p.path): f for f, p in partners.items() if p}
    rest = []
    for path in files:
        first = second.get(os.path.realpath(path))
        if first:
            tell(f"skipped {printable(path)}: read together with {printable(first)}")
        else:
            rest.append(path)
    return [(path, partners[path]) for path in rest]
