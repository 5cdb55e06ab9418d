package rowkey

// Option is a value, or none: the zero value.
type Option[T any] struct {
	// Value is the value, if there is one.
	Value T
	// Present is true if there is one.
	Present bool
}

// Some returns the option that is a value.
func Some[T any](value T) Option[T] { return Option[T]{Value: value, Present: true} }

// None returns the option without a value.
func None[T any]() Option[T] { return Option[T]{} }

// Get returns the value, and whether there is one.
func (v Option[T]) Get() (T, bool) { return v.Value, v.Present }

// The bytes before an option's value, and those of none: at its own side, and at the other one, after all values.
const (
	someTag   = 1
	noneTag   = 0
	noneOther = 2
)

// AppendSome appends the byte before the value of an option.
func AppendSome(dst []byte) []byte { return append(dst, someTag) }

// AppendNone appends an option without a value.
func AppendNone(dst []byte) []byte { return append(dst, noneTag) }

// AppendNoneOther appends an option without a value whose place is not the default one.
func AppendNoneOther(dst []byte) []byte { return append(dst, noneOther) }

// IsSome reads the first byte of an option: whether there is a value, which comes next.
func (r *Reader) IsSome() bool { return r.isOne(noneTag, "an option begins with 00 or 01") }

// IsSomeOther reads the first byte of an option in which none is not at the default place.
func (r *Reader) IsSomeOther() bool { return r.isOne(noneOther, "an option begins with 01 or 02") }
