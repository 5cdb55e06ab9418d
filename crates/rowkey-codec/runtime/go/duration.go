package rowkey

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// ErrNegative says that a duration is below 0.
var ErrNegative = errors.New("the duration is below 0")

// Duration is a length of time from 0 on. Its range is greater than that of [time.Duration].
type Duration struct {
	// Seconds are the whole seconds.
	Seconds uint64
	// Nanos are the nanoseconds more, below 10⁹.
	Nanos uint32
}

// DurationOf returns the duration of one of Go's.
func DurationOf(d time.Duration) (Duration, error) {
	if d < 0 {
		return Duration{}, ErrNegative
	}
	return Duration{Seconds: uint64(d / time.Second), Nanos: uint32(d % time.Second)}, nil
}

// Duration returns the duration as one of Go's; false if it is out of its range, which is 292 years.
func (v Duration) Duration() (time.Duration, bool) {
	const most = math.MaxInt64
	seconds, nanos := uint64(most/nanosPerSecond), uint32(most%nanosPerSecond)
	if v.Seconds > seconds || v.Seconds == seconds && v.Nanos > nanos {
		return 0, false
	}
	return time.Duration(v.Seconds)*time.Second + time.Duration(v.Nanos), true
}

func (v Duration) String() string { return fmt.Sprintf("%d.%09d s", v.Seconds, v.Nanos) }

// AppendDuration appends a `duration`: the seconds as a `u64`, the nanoseconds as a `u32`.
func AppendDuration(dst []byte, v Duration) ([]byte, error) {
	if v.Nanos >= nanosPerSecond {
		return dst, ErrNanos
	}
	return AppendU32(AppendU64(dst, v.Seconds), v.Nanos), nil
}

// Duration reads a `duration`.
func (r *Reader) Duration() Duration { return Duration{Seconds: r.U64(), Nanos: r.nanos()} }
