package rowkey

import (
	"bytes"
	"encoding/hex"
)

// Radix is the kind of the digits of a salt's bucket, or of a digest.
type Radix uint8

// The kinds of digits.
const (
	// RadixBytes are bytes: of a number, big-endian.
	RadixBytes Radix = iota
	// RadixDecimal are decimal digits.
	RadixDecimal
	// RadixHex are hex digits in lower case.
	RadixHex
	// RadixUpperHex are hex digits in upper case.
	RadixUpperHex
)

// Lead is what stands before the fields of a key: a salt, or a digest.
type Lead struct {
	// Buckets are those of a salt; 0: it is a digest.
	Buckets int
	// Hash is the hash.
	Hash Hash
	// Radix is the kind of the digits.
	Radix Radix
	// Width is the number of digits.
	Width int
	// Delimiter is what comes after them.
	Delimiter string
}

// Size is the number of bytes of the lead.
func (l *Lead) Size() int { return l.Width + len(l.Delimiter) }

// Put writes the lead of a key whose hashed bytes are m to the beginning of dst.
func (l *Lead) Put(dst, m []byte) {
	if l.Buckets > 0 {
		l.putBucket(dst, int(l.Hash.number(m)%uint64(l.Buckets)))
		return
	}
	sum, _ := l.Hash.digest(m)
	for i := range l.Width {
		switch l.Radix {
		case RadixBytes:
			dst[i] = sum[i]
		default:
			dst[i] = hexDigits(l.Radix == RadixUpperHex)[sum[i/2]>>(4*(1-i%2))&15]
		}
	}
	copy(dst[l.Width:], l.Delimiter)
}

// putBucket writes the lead of a salt's bucket.
func (l *Lead) putBucket(dst []byte, bucket int) {
	for i := l.Width - 1; i >= 0; i-- {
		switch l.Radix {
		case RadixBytes:
			dst[i], bucket = byte(bucket), bucket>>8
		case RadixDecimal:
			dst[i], bucket = '0'+byte(bucket%10), bucket/10
		default:
			dst[i], bucket = hexDigits(l.Radix == RadixUpperHex)[bucket&15], bucket>>4
		}
	}
	copy(dst[l.Width:], l.Delimiter)
}

// Part returns bytes of the key as they are, of those that were read: what a lead is taken from.
func (r *Reader) Part(from, to int) []byte {
	if r.err != nil || from > to || to > r.at {
		return nil
	}
	return r.key[from:to]
}

// Lead checks the lead, which was skipped, of a key whose hashed bytes are m.
func (r *Reader) Lead(lead *Lead, m []byte) {
	if r.err != nil {
		return
	}
	if lead.Buckets > 0 && lead.Radix == RadixBytes && lead.Size() == 1 &&
		r.key[0] == byte(lead.Hash.number(m)%uint64(lead.Buckets)) {
		return
	}
	var space [80]byte
	due, found := space[:lead.Size()], r.key[:lead.Size()]
	lead.Put(due, m)
	if !bytes.Equal(found, due) {
		r.fail(0, WrongLead, hex.EncodeToString(found), hex.EncodeToString(due))
	}
}
