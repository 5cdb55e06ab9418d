package rowkey

import "encoding/binary"

// Unsigned integers are big-endian. Signed ones are two's complement, big-endian, with the highest bit flipped.

// AppendU8 appends a `u8`.
func AppendU8(dst []byte, v uint8) []byte { return append(dst, v) }

// AppendU16 appends a `u16`.
func AppendU16(dst []byte, v uint16) []byte { return binary.BigEndian.AppendUint16(dst, v) }

// AppendU32 appends a `u32`.
func AppendU32(dst []byte, v uint32) []byte { return binary.BigEndian.AppendUint32(dst, v) }

// AppendU64 appends a `u64`.
func AppendU64(dst []byte, v uint64) []byte { return binary.BigEndian.AppendUint64(dst, v) }

// AppendI8 appends an `i8`.
func AppendI8(dst []byte, v int8) []byte { return append(dst, uint8(v)^1<<7) }

// AppendI16 appends an `i16`.
func AppendI16(dst []byte, v int16) []byte { return AppendU16(dst, uint16(v)^1<<15) }

// AppendI32 appends an `i32`.
func AppendI32(dst []byte, v int32) []byte { return AppendU32(dst, uint32(v)^1<<31) }

// AppendI64 appends an `i64`.
func AppendI64(dst []byte, v int64) []byte { return AppendU64(dst, uint64(v)^1<<63) }

// U8 is the `u8` at the beginning of some bytes, which must be as many. So are those below.
func U8(b []byte) uint8 { return b[0] }

// U16 is the `u16` at the beginning.
func U16(b []byte) uint16 { return binary.BigEndian.Uint16(b) }

// U32 is the `u32` at the beginning.
func U32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }

// U64 is the `u64` at the beginning.
func U64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }

// I8 is the `i8` at the beginning.
func I8(b []byte) int8 { return int8(b[0] ^ 1<<7) }

// I16 is the `i16` at the beginning.
func I16(b []byte) int16 { return int16(U16(b) ^ 1<<15) }

// I32 is the `i32` at the beginning.
func I32(b []byte) int32 { return int32(U32(b) ^ 1<<31) }

// I64 is the `i64` at the beginning.
func I64(b []byte) int64 { return int64(U64(b) ^ 1<<63) }

// U8 reads a `u8`.
func (r *Reader) U8() uint8 {
	rest := r.key[r.at:]
	if len(rest) < 1 {
		return uint8(r.missing(1))
	}
	r.at += 1
	return rest[0] ^ r.mask
}

// U16 reads a `u16`.
func (r *Reader) U16() uint16 {
	rest := r.key[r.at:]
	if len(rest) < 2 {
		return uint16(r.missing(2))
	}
	r.at += 2
	return binary.BigEndian.Uint16(rest) ^ uint16(r.ones)
}

// U32 reads a `u32`.
func (r *Reader) U32() uint32 {
	rest := r.key[r.at:]
	if len(rest) < 4 {
		return uint32(r.missing(4))
	}
	r.at += 4
	return binary.BigEndian.Uint32(rest) ^ uint32(r.ones)
}

// U64 reads a `u64`.
func (r *Reader) U64() uint64 {
	rest := r.key[r.at:]
	if len(rest) < 8 {
		return r.missing(8)
	}
	r.at += 8
	return binary.BigEndian.Uint64(rest) ^ r.ones
}

// I8 reads an `i8`.
func (r *Reader) I8() int8 { return int8(r.U8() ^ 1<<7) }

// I16 reads an `i16`.
func (r *Reader) I16() int16 { return int16(r.U16() ^ 1<<15) }

// I32 reads an `i32`.
func (r *Reader) I32() int32 { return int32(r.U32() ^ 1<<31) }

// I64 reads an `i64`.
func (r *Reader) I64() int64 { return int64(r.U64() ^ 1<<63) }
