package rowkey

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

const nanosPerSecond = 1_000_000_000

// ErrNanos says that the nanoseconds of an instant or a duration make a second or more.
var ErrNanos = errors.New("the nanoseconds are not below 1000000000")

// Instant is a point in time. Its range is greater than that of [time.Time].
type Instant struct {
	// Seconds are those since 1970-01-01T00:00:00Z, rounded down.
	Seconds int64
	// Nanos are the nanoseconds past that second, below 10⁹.
	Nanos uint32
}

// InstantOf returns the instant of a time, without its zone.
func InstantOf(t time.Time) Instant {
	return Instant{Seconds: t.Unix(), Nanos: uint32(t.Nanosecond())}
}

// maxTime are the seconds before and after 1970 for which a time.Time has all of its methods: 146 billion years.
const maxTime = 1 << 62

// Time returns the instant in UTC; false if it is more than 146 billion years from 1970.
func (v Instant) Time() (time.Time, bool) {
	if v.Seconds < -maxTime || v.Seconds > maxTime || v.Nanos >= nanosPerSecond {
		return time.Time{}, false
	}
	return time.Unix(v.Seconds, int64(v.Nanos)).UTC(), true
}

func (v Instant) String() string {
	if t, ok := v.Time(); ok && t.Year() >= 0 && t.Year() <= 9999 {
		return t.Format(time.RFC3339Nano)
	}
	return fmt.Sprintf("%d.%09d s", v.Seconds, v.Nanos)
}

// AppendInstant appends an `instant`: the seconds as an `i64`, the nanoseconds as a `u32`.
func AppendInstant(dst []byte, v Instant) ([]byte, error) {
	if v.Nanos >= nanosPerSecond {
		return dst, ErrNanos
	}
	return AppendU32(AppendI64(dst, v.Seconds), v.Nanos), nil
}

// Instant reads an `instant`.
func (r *Reader) Instant() Instant { return Instant{Seconds: r.I64(), Nanos: r.nanos()} }

func (r *Reader) nanos() uint32 {
	at := r.at
	nanos := r.U32()
	if nanos >= nanosPerSecond {
		r.invalid(at, strconv.FormatUint(uint64(nanos), 10), "nanoseconds below 1000000000")
	}
	return nanos
}
