package rowkey

import "errors"

// ErrVariant says that an enum's value is nil, or none of its variants.
var ErrVariant = errors.New("the value is not one of the enum's variants")

// Tag reads the tag of an enum's variant.
func (r *Reader) Tag() uint8 { return r.U8() }

// NoVariant fails by the tag that was read.
func (r *Reader) NoVariant() {
	if r.err == nil {
		r.badByte(r.at-1, "the tag of a variant")
	}
}
