package rowkey

import (
	"bytes"
	"errors"
	"math/bits"
)

// Fields that Google's OrderedCode joins: 00 01 between two, 00 00 for an empty one, and 00 in a field as 00 ff.
// Empty fields at the end are left out, but for the first. Fields are appended one by one; each but the first has 00
// 01 before it. Then TrimOrdered takes the empty ones at the end off.

// ErrMicros says that an instant is no whole number of microseconds in an `i64`.
var ErrMicros = errors.New("the instant is no whole number of microseconds in an i64")

// AppendOrderedSeparator appends what is before each field but the first.
func AppendOrderedSeparator(dst []byte) []byte { return append(dst, 0, 1) }

// AppendOrderedText appends an `ordered[text]`.
func AppendOrderedText(dst []byte, v string) ([]byte, error) {
	mark := len(dst)
	dst, err := AppendTextRaw(dst, v)
	return escapeOrdered(dst, mark), err
}

// AppendOrderedBytes appends an `ordered[bytes]`.
func AppendOrderedBytes(dst, v []byte) []byte { return escapeOrdered(append(dst, v...), len(dst)) }

// AppendOrderedInt appends an `ordered[i64]`: in 1 to 10 bytes, the number in two's complement with as many bits
// inverted.
func AppendOrderedInt(dst []byte, v int64) []byte {
	mark := len(dst)
	return escapeOrdered(appendVarint(dst, v), mark)
}

// AppendOrderedBE appends an `ordered[be i64]`: in eight bytes, in two's complement.
func AppendOrderedBE(dst []byte, v int64) []byte {
	mark := len(dst)
	return escapeOrdered(AppendU64(dst, uint64(v)), mark)
}

// AppendOrderedMicros appends an `ordered[micros]`.
func AppendOrderedMicros(dst []byte, v Instant) ([]byte, error) {
	micros, err := v.micros()
	return AppendOrderedInt(dst, micros), err
}

// AppendOrderedBEMicros appends an `ordered[be micros]`.
func AppendOrderedBEMicros(dst []byte, v Instant) ([]byte, error) {
	micros, err := v.micros()
	return AppendOrderedBE(dst, micros), err
}

// TrimOrdered takes the empty fields at the end off, of a key or of its first fields, and the beginning of one.
func TrimOrdered(fields []byte) []byte {
	fields = bytes.TrimSuffix(fields, []byte{0, 1})
	for bytes.HasSuffix(fields, []byte{0, 1, 0, 0}) {
		fields = fields[:len(fields)-4]
	}
	return fields
}

// OrderedText reads an `ordered[text]`. Pass true for the first field of the key.
func (r *Reader) OrderedText(first bool) string {
	at := r.at
	return r.valid(at, string(r.orderedContent(first)))
}

// OrderedBytes reads an `ordered[bytes]`.
func (r *Reader) OrderedBytes(first bool) []byte { return r.orderedContent(first) }

// OrderedInt reads an `ordered[i64]`.
func (r *Reader) OrderedInt(first bool) int64 {
	at := r.at
	v, ok := parseVarint(r.orderedContent(first))
	if !ok {
		r.invalidBytes(at, "an i64 in no more bytes than it needs")
	}
	return v
}

// OrderedBE reads an `ordered[be i64]`.
func (r *Reader) OrderedBE(first bool) int64 {
	at := r.at
	content := r.orderedContent(first)
	if len(content) != 8 {
		r.invalidBytes(at, "a big-endian i64 in eight bytes")
		return 0
	}
	number := Reader{key: content}
	return int64(number.U64())
}

// OrderedMicros reads an `ordered[micros]`.
func (r *Reader) OrderedMicros(first bool) Instant { return instantOfMicros(r.OrderedInt(first)) }

// OrderedBEMicros reads an `ordered[be micros]`.
func (r *Reader) OrderedBEMicros(first bool) Instant { return instantOfMicros(r.OrderedBE(first)) }

// orderedContent reads what is before each field but the first, and up to the next one or the end of the key. A field
// that is left out is empty.
func (r *Reader) orderedContent(first bool) []byte {
	content := []byte{}
	if !first {
		if !r.More() {
			return content
		}
		r.Expect("\x00\x01", "00 01 between two fields")
	}
	start := r.at
	for {
		at := r.at
		size := bytes.IndexByte(r.key[at:], 0)
		if size < 0 {
			size = len(r.key) - at
		}
		content = append(content, r.take(size)...)
		after := r.key[r.at:]
		switch {
		case (len(after) == 0 || bytes.HasPrefix(after, []byte{0, 1})) && len(content) > 0:
			return content
		case len(after) == 0:
			r.invalid(start, "no bytes", "00 00 for an empty field")
			return nil
		case bytes.HasPrefix(after, []byte{0, 0xff}):
			content = append(content, 0)
			r.take(2)
		case bytes.HasPrefix(after, []byte{0, 0}) && len(content) == 0:
			if len(after) == 2 && !first {
				r.invalid(r.at, "00 00", "no empty field at the end")
				return nil
			}
			r.take(2)
			return content
		default:
			r.invalid(r.at, string(after[:min(len(after), 2)]),
				"00 before ff in a field, before 01 between fields, and twice for an empty one")
			return nil
		}
	}
}

// escapeOrdered escapes the zeros of the content that was appended since a mark.
func escapeOrdered(dst []byte, mark int) []byte {
	if len(dst) == mark {
		return append(dst, 0, 0)
	}
	zeros := bytes.Count(dst[mark:], []byte{0})
	from := len(dst) - 1
	for range zeros {
		dst = append(dst, 0xff)
	}
	for to := len(dst) - 1; zeros > 0; from-- {
		if dst[from] == 0 {
			dst[to] = 0xff
			to--
			zeros--
		}
		dst[to] = dst[from]
		to--
	}
	return dst
}

// appendVarint appends a number as `ordered[i64]` has it before it is escaped.
func appendVarint(dst []byte, v int64) []byte {
	size := bits.Len64(uint64(v^v>>63))/7 + 1
	wide := varintHeader(U128{uint64(v >> 63), uint64(v)}, size)
	for i := size - 1; i >= 0; i-- {
		dst = append(dst, wide.byte(i))
	}
	return dst
}

// varintHeader inverts the first bits of a number of this many bytes: as many.
func varintHeader(v U128, size int) U128 {
	low, high := 7*size, 8*size
	for bit := low; bit < high; bit++ {
		if bit < 64 {
			v.Lo ^= 1 << bit
		} else {
			v.Hi ^= 1 << (bit - 64)
		}
	}
	return v
}

func parseVarint(content []byte) (int64, bool) {
	size := len(content)
	if size < 1 || size > 10 {
		return 0, false
	}
	number := Reader{key: content}
	wide := varintHeader(number.BE(size), size)
	if size < 8 {
		shift := 64 - 8*size
		wide.Lo = uint64(int64(wide.Lo<<shift) >> shift)
	}
	v := int64(wide.Lo)
	var due [10]byte
	return v, bytes.Equal(appendVarint(due[:0], v), content)
}

const microsPerSecond = 1_000_000

func (v Instant) micros() (int64, error) {
	high, low := bits.Mul64(uint64(v.Seconds), microsPerSecond)
	if v.Seconds < 0 {
		high -= microsPerSecond
	}
	low, carry := bits.Add64(low, uint64(v.Nanos/1000), 0)
	high += carry
	if v.Nanos%1000 != 0 || v.Nanos >= nanosPerSecond || int64(high) != int64(low)>>63 {
		return 0, ErrMicros
	}
	return int64(low), nil
}

func instantOfMicros(micros int64) Instant {
	seconds, rest := micros/microsPerSecond, micros%microsPerSecond
	if rest < 0 {
		seconds, rest = seconds-1, rest+microsPerSecond
	}
	return Instant{Seconds: seconds, Nanos: uint32(rest) * 1000}
}
