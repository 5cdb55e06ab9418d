package rowkey

// Interval is a range of the values of a field, in their own order, whatever the direction of the field.
type Interval[T any] struct {
	// Low and High are the bounds.
	Low, High Bound[T]
}

// Bound is a bound of an interval; the zero value is none.
type Bound[T any] struct {
	value T
	kind  boundKind
}

type boundKind uint8

const (
	unbounded boundKind = iota
	included
	excluded
)

// Included is a bound that belongs to the interval.
func Included[T any](value T) Bound[T] { return Bound[T]{value, included} }

// Excluded is a bound that does not belong to the interval.
func Excluded[T any](value T) Bound[T] { return Bound[T]{value, excluded} }

// HalfOpen is the interval from low, included, to high, excluded.
func HalfOpen[T any](low, high T) Interval[T] { return Interval[T]{Included(low), Excluded(high)} }

// Closed is the interval from low to high, both included.
func Closed[T any](low, high T) Interval[T] { return Interval[T]{Included(low), Included(high)} }

// AtLeast is the interval from low on.
func AtLeast[T any](low T) Interval[T] { return Interval[T]{Low: Included(low)} }

// MoreThan is the interval of what is after low.
func MoreThan[T any](low T) Interval[T] { return Interval[T]{Low: Excluded(low)} }

// AtMost is the interval up to high, included.
func AtMost[T any](high T) Interval[T] { return Interval[T]{High: Included(high)} }

// LessThan is the interval of what is before high.
func LessThan[T any](high T) Interval[T] { return Interval[T]{High: Excluded(high)} }
