package rowkey

import (
	"errors"
	"fmt"
	"strconv"
)

// Reason is the reason why bytes are not a valid key.
type Reason uint8

// The reasons.
const (
	// Truncated: the key ends too early.
	Truncated Reason = iota
	// Trailing: the key has more bytes after its last field.
	Trailing
	// Unterminated: text or bytes do not end.
	Unterminated
	// BadEscape: an escape that is none.
	BadEscape
	// BadByte: a byte that is not valid for its type.
	BadByte
	// NotUTF8: text that is not UTF-8.
	NotUTF8
	// BadValue: a value that is not valid for its type, or not in its one form.
	BadValue
	// WrongLead: the salt or digest is not that of the fields.
	WrongLead
)

var reasons = [...]string{
	"the key ends too early", "bytes are left after the last field", "the terminator is missing", "no escape",
	"not a valid byte", "the text is not UTF-8", "not a valid value", "the salt or digest of another key",
}

func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return "Reason(" + strconv.Itoa(int(r)) + ")"
}

// DecodeError says why bytes are not a valid key.
type DecodeError struct {
	// Key is the name of the key's type.
	Key string
	// Field is the path to the field, with dots between names and items as [n]. Empty: the key as a whole.
	Field string
	// Offset is the byte of the key, counted from 0, at which the error is.
	Offset int
	// Reason is the reason.
	Reason Reason
	// Found is what was found there.
	Found string
	// Expected is what is valid there.
	Expected string
}

func (e *DecodeError) Error() string {
	text := fmt.Sprintf("%s at byte %d: %s", joinPath(e.Key, e.Field), e.Offset, e.Reason)
	if e.Found != "" {
		text += ", found " + e.Found
	}
	if e.Expected != "" {
		text += ", expected " + e.Expected
	}
	return text
}

// EncodeError says why a value has no bytes.
type EncodeError struct {
	// Key is the name of the key's type.
	Key string
	// Field is the path to the field, with dots between names and items as [n].
	Field string
	// Err is the reason.
	Err error
}

func (e *EncodeError) Error() string { return joinPath(e.Key, e.Field) + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *EncodeError) Unwrap() error { return e.Err }

// InField adds the name of the field in which an error is.
func InField(name string, err error) error {
	var inner *EncodeError
	if errors.As(err, &inner) {
		return &EncodeError{Field: joinPath(name, inner.Field), Err: inner.Err}
	}
	return &EncodeError{Field: name, Err: err}
}

// InItem adds the place in a list at which an error is.
func InItem(index int, err error) error { return InField(item(index), err) }

// InKey adds the name of the key's type, and of the field in which an error is.
func InKey(key, field string, err error) error {
	var inner *EncodeError
	if errors.As(err, &inner) {
		return &EncodeError{Key: key, Field: joinPath(field, inner.Field), Err: inner.Err}
	}
	return &EncodeError{Key: key, Field: field, Err: err}
}

func item(index int) string { return "[" + strconv.Itoa(index) + "]" }

func joinPath(outer, inner string) string {
	if outer == "" || inner == "" || inner[0] == '[' {
		return outer + inner
	}
	return outer + "." + inner
}
