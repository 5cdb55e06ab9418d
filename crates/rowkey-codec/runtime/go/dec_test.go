package rowkey

import (
	"bytes"
	"fmt"
	"math"
	"testing"
)

// Numbers in decimal are those of fmt, at each number of digits and each width.
func TestDigitsAreThoseOfFmt(t *testing.T) {
	numbers := []uint64{0, math.MaxUint64}
	for power := uint64(1); ; power *= 10 {
		numbers = append(numbers, power-1, power, power+1, 9*(power/10))
		if power == tenTo19 {
			break
		}
	}
	for shift := range 64 {
		numbers = append(numbers, 1<<shift, 1<<shift-1)
	}
	for _, number := range numbers {
		for width := range 25 {
			due := fmt.Appendf([]byte("a"), "%0*d", width, number)
			if found := appendDigits([]byte("a"), U128{Lo: number}, width); !bytes.Equal(found, due) {
				t.Errorf("%q, due is %q", found, due)
			}
		}
	}
}
