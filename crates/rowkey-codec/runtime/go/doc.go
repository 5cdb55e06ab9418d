// Package rowkey has what generated row keys are made of: the encodings of rowkey's byte format, the hashes of salts
// and digests, ranges of keys, and the merge of salted scans.
//
// The bytes are those of FORMAT.md, version 1, and frozen. Every value has one form: a [Reader] refuses all others.
//
// Functions named Append add the bytes of an ascending value to a slice, and return it. A descending value is written
// in the same way and inverted by [Invert]; it is read by a reader that was turned by [Reader.Flip].
package rowkey

// FormatVersion is the version of the byte format.
const FormatVersion = 1
