package rowkey

import (
	"errors"
	"time"
)

// A pattern has the letters of Java's DateTimeFormatter: yyyy, MM, dd, DDD for the day of the year, HH, mm, ss, and
// SSS, SSSSSS or SSSSSSSSS; letters in quotes, and other characters, which stand for themselves.

// ErrDate says that a pattern has no text for an instant.
var ErrDate = errors.New("the pattern has no text that is exactly this instant")

// datePart returns the letter of the part with which a pattern begins, or 0 and a character that stands for itself, the
// number of its characters, and what comes after it.
func datePart(pattern string, quoted *bool) (letter byte, size int, rest string) {
	if pattern[0] == '\'' {
		*quoted = !*quoted
		pattern = pattern[1:]
		if pattern == "" {
			return 0, 0, ""
		}
	}
	first := pattern[0]
	isLetter := first >= 'a' && first <= 'z' || first >= 'A' && first <= 'Z'
	if *quoted || !isLetter {
		return 0, 1, pattern[1:]
	}
	size = 1
	for size < len(pattern) && pattern[size] == first {
		size++
	}
	return first, size, pattern[size:]
}

// AppendDate appends a `date[…]` by its pattern.
func AppendDate(dst []byte, pattern string, v Instant, end *End) ([]byte, error) {
	mark := len(dst)
	t, ok := v.Time()
	if !ok || t.Year() < 0 || t.Year() > 9999 {
		return dst, ErrDate
	}
	quoted := false
	for rest := pattern; rest != ""; {
		at := rest
		letter, size, after := datePart(rest, &quoted)
		rest = after
		if letter == 0 {
			dst = append(dst, at[len(at)-len(after)-size:len(at)-len(after)]...)
			continue
		}
		dst = appendPadded(dst, dateNumber(t, letter, size), size)
	}
	if read, ok := parseDate(dst[mark:], pattern); !ok || read != v {
		return dst, ErrDate
	}
	return end.close(dst, mark)
}

func dateNumber(t time.Time, letter byte, size int) uint64 {
	switch letter {
	case 'y':
		return uint64(t.Year())
	case 'M':
		return uint64(t.Month())
	case 'd':
		return uint64(t.Day())
	case 'D':
		return uint64(t.YearDay())
	case 'H':
		return uint64(t.Hour())
	case 'm':
		return uint64(t.Minute())
	case 's':
		return uint64(t.Second())
	default:
		return uint64(t.Nanosecond() / fraction(size))
	}
}

// fraction is the number of nanoseconds of the last of so many digits.
func fraction(digits int) int {
	unit := nanosPerSecond
	for range digits {
		unit /= 10
	}
	return unit
}

// Date reads a `date[…]` by its pattern.
func (r *Reader) Date(pattern string, end *End) Instant {
	at := r.at
	v, ok := parseDate(r.content(end), pattern)
	if !ok {
		r.invalidBytes(at, "a date of the pattern "+pattern)
	}
	return v
}

// parseDate reads a text by a pattern. A part that the pattern leaves out is the first.
func parseDate(text []byte, pattern string) (Instant, bool) {
	month, day, year, hour, minute, second, nanos := 1, 1, 0, 0, 0, 0, 0
	ofYear := false
	quoted := false
	for pattern != "" {
		at := pattern
		letter, size, after := datePart(pattern, &quoted)
		pattern = after
		if len(text) < size {
			return Instant{}, false
		}
		part := text[:size]
		text = text[size:]
		if letter == 0 {
			if string(part) != at[len(at)-len(after)-size:len(at)-len(after)] {
				return Instant{}, false
			}
			continue
		}
		number, ok := parseDigits(part, true)
		if !ok {
			return Instant{}, false
		}
		n := int(number.Lo)
		switch letter {
		case 'y':
			year = n
		case 'M':
			month = n
		case 'd':
			day = n
		case 'D':
			day, ofYear = n, true
		case 'H':
			hour = n
		case 'm':
			minute = n
		case 's':
			second = n
		default:
			nanos = n * fraction(size)
		}
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	y, m, d := t.Date()
	isDay := y == year && (ofYear && day == t.YearDay() || !ofYear && int(m) == month && d == day)
	isTime := t.Hour() == hour && t.Minute() == minute && t.Second() == second
	return InstantOf(t), isDay && isTime && len(text) == 0
}
