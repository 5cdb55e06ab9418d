"""What generated codecs of row keys stand on: one file for each encoding.

The bytes are those of FORMAT.md of rowkey, version 1.
"""

from decimal import Decimal
from uuid import UUID

from .addresses import Ip, IpAddress
from .arrays import Array, exact
from .booleans import Bool
from .byte_strings import Bytes, RawBytes
from .characters import Char
from .constants import Constant
from .decimals import DecimalNumber, RawDecimal
from .descending import Descending
from .durations import Duration, DurationNanos
from .encoding import INVERTED, Encoding
from .enums import Plain, Tagged
from .errors import REFUSED, UNFIT, DecodeError, EncodeError, LayoutMismatch, RowKeyError
from .explanations import explained
from .faults import key_bytes, not_decoded, not_encoded
from .fields import Field
from .floats import F32, F64, f32_bits, f32_of, f64_bits, f64_of
from .host_paths import HostPath, RawHostPath
from .instants import Instant, InstantNanos, checked_nanos
from .integers import Native, Sorted
from .key_ranges import KeyRange
from .layouts import check_layout
from .leads import Digest, Salt, check_lead
from .lists import List, RawList
from .merges import merged_rows
from .options import NestedOption, Option, Some
from .ordered_code import JoinedBigEndian, JoinedBytes, JoinedInt, JoinedMicros, JoinedText, without_empty_ends
from .padded_texts import BlankPadded, ZeroPadded
from .prefixes import UNBOUNDED, Bound, Excluded, Included, Prefix, Selection, Step, Unbounded, begun
from .quadkeys import Quadkey
from .records import Record
from .spans import Layout
from .text_fields import (
    PLAIN,
    REVERSED,
    SIGNED,
    UUID_TEXT,
    After,
    Before,
    Fixed,
    Last,
    Until,
    dates,
    decimal,
    hex_bytes,
    hexadecimal,
    minus,
)
from .texts import RawText, Text, decode_text, encode_text
from .tiles import Tile
from .uuids import Uuid

__all__ = [
    "F32",
    "F64",
    "INVERTED",
    "PLAIN",
    "REFUSED",
    "REVERSED",
    "SIGNED",
    "UNBOUNDED",
    "UNFIT",
    "UUID",
    "UUID_TEXT",
    "After",
    "Array",
    "Before",
    "BlankPadded",
    "Bool",
    "Bound",
    "Bytes",
    "Char",
    "Constant",
    "Decimal",
    "DecimalNumber",
    "DecodeError",
    "Descending",
    "Digest",
    "Duration",
    "DurationNanos",
    "EncodeError",
    "Encoding",
    "Excluded",
    "Field",
    "Fixed",
    "HostPath",
    "Included",
    "Instant",
    "InstantNanos",
    "Ip",
    "IpAddress",
    "JoinedBigEndian",
    "JoinedBytes",
    "JoinedInt",
    "JoinedMicros",
    "JoinedText",
    "KeyRange",
    "Last",
    "Layout",
    "LayoutMismatch",
    "List",
    "Native",
    "NestedOption",
    "Option",
    "Plain",
    "Prefix",
    "Quadkey",
    "RawBytes",
    "RawDecimal",
    "RawHostPath",
    "RawList",
    "RawText",
    "Record",
    "RowKeyError",
    "Salt",
    "Selection",
    "Some",
    "Sorted",
    "Step",
    "Tagged",
    "Text",
    "Tile",
    "Unbounded",
    "Until",
    "Uuid",
    "ZeroPadded",
    "begun",
    "check_layout",
    "check_lead",
    "checked_nanos",
    "dates",
    "decimal",
    "decode_text",
    "encode_text",
    "exact",
    "explained",
    "f32_bits",
    "f32_of",
    "f64_bits",
    "f64_of",
    "hex_bytes",
    "hexadecimal",
    "key_bytes",
    "merged_rows",
    "minus",
    "not_decoded",
    "not_encoded",
    "without_empty_ends",
]
