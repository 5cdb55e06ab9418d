package rowkey

import (
	"bytes"
	"encoding/hex"
	"strconv"
)

// Reader reads the bytes of a key from front to back. In a descending field it inverts them back. Its first error
// stays: what is read after it are zero values.
type Reader struct {
	key  []byte
	at   int
	mask byte
	// ones are 64 bits of the mask.
	ones uint64
	err  *DecodeError
}

// NewReader returns a reader of a key.
func NewReader(key []byte) Reader { return Reader{key: key} }

// Failed returns whether there was an error.
func (r *Reader) Failed() bool { return r.err != nil }

// Flip turns the reader for a descending field, and back after it.
func (r *Reader) Flip() { r.mask, r.ones = ^r.mask, ^r.ones }

// Offset is the number of bytes that were read.
func (r *Reader) Offset() int { return r.at }

// More returns whether bytes are left, and there was no error.
func (r *Reader) More() bool { return r.at < len(r.key) }

// In names the field in which the error is.
func (r *Reader) In(name string) {
	if r.err != nil {
		r.err.Field = joinPath(name, r.err.Field)
	}
}

// InItem names the item of a list in which the error is.
func (r *Reader) InItem(index int) { r.In(item(index)) }

// Err returns the error in a key of this name, or nil.
func (r *Reader) Err(key string) error {
	if r.err == nil {
		return nil
	}
	r.err.Key = key
	return r.err
}

// End checks that no bytes are left.
func (r *Reader) End() {
	if r.err == nil && r.at < len(r.key) {
		left := len(r.key) - r.at
		r.fail(r.at, Trailing, strconv.Itoa(left)+" bytes from "+hexByte(r.key[r.at])+" on", "")
	}
}

// Skip reads bytes that are checked later: those of a salt or digest.
func (r *Reader) Skip(n int) { r.take(n) }

// fail keeps the first error, and ends the reading.
func (r *Reader) fail(at int, reason Reason, found, expected string) {
	if r.err == nil {
		r.err = &DecodeError{Offset: at, Reason: reason, Found: found, Expected: expected}
	}
	r.at = len(r.key)
}

// invalid fails by a value that was read from at on.
func (r *Reader) invalid(at int, found, expected string) {
	r.fail(at, BadValue, quoted(found), expected)
}

// invalidBytes fails by the bytes that were read from at on.
func (r *Reader) invalidBytes(at int, expected string) {
	if r.err == nil {
		r.invalid(at, hex.EncodeToString(r.key[at:r.at]), expected)
	}
}

// take reads n bytes as they are in the key, perhaps inverted; nil if there are not as many.
func (r *Reader) take(n int) []byte {
	if n > len(r.key)-r.at {
		r.truncated(n)
		return nil
	}
	taken := r.key[r.at : r.at+n]
	r.at += n
	return taken
}

func (r *Reader) truncated(n int) {
	missing := n - (len(r.key) - r.at)
	r.fail(len(r.key), Truncated, "the end", strconv.Itoa(missing)+" more bytes")
}

// missing fails by bytes that are not there; it returns 0.
func (r *Reader) missing(n int) uint64 {
	r.truncated(n)
	return 0
}

// rest reads all bytes that are left.
func (r *Reader) rest() []byte { return r.take(len(r.key) - r.at) }

// find returns the number of bytes before a delimiter, or -1.
func (r *Reader) find(delimiter string) int {
	if len(delimiter) == 1 {
		return bytes.IndexByte(r.key[r.at:], delimiter[0]^r.mask)
	}
	return bytes.Index(r.key[r.at:], r.upright([]byte(delimiter)))
}

// upright returns bytes of the key inverted back: the same ones if they are not inverted.
func (r *Reader) upright(taken []byte) []byte {
	if r.mask == 0 {
		return taken
	}
	turned := append([]byte(nil), taken...)
	Invert(turned)
	return turned
}

// Expect reads bytes that are the same in every key.
func (r *Reader) Expect(due, expected string) {
	at := r.at
	if found := r.take(len(due)); found != nil && string(r.upright(found)) != due {
		r.invalidBytes(at, expected)
	}
}

// Invert inverts every byte: those of a descending value.
func Invert(value []byte) {
	for i := range value {
		value[i] = ^value[i]
	}
}

// quoted is the beginning of what was found, however long it is.
func quoted(found string) string {
	const most = 200
	if len(found) <= most {
		return strconv.Quote(found)
	}
	return strconv.Quote(found[:most]) + "…"
}

func hexByte(b byte) string { return hex.EncodeToString([]byte{b}) }
