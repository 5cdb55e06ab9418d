package rowkey

import (
	"errors"
	"math/big"
	"strings"
)

// Decimal is a decimal number: 0, or from 10⁻¹²⁸ to below 10¹²⁴ in size, with any number of digits. The zero value is
// 0. It has one form, so two numbers are equal if they are ==.
type Decimal struct {
	// digits are those of base 100, a byte each, neither the first nor the last 0; none for 0.
	digits   string
	exponent int8
	negative bool
}

const (
	minExponent = -64
	maxExponent = 61
)

// ErrDecimal says that a text or a number is no decimal.
var ErrDecimal = errors.New("a decimal is digits, perhaps with a - before and a . among them; " +
	"0, or from 10^-128 to below 10^124 in size")

// ParseDecimal returns the number of a text such as `-12.50`. It takes needless zeros, but no exponent.
func ParseDecimal(text string) (Decimal, error) {
	unsigned, negative := strings.CutPrefix(text, "-")
	whole, fraction, dotted := strings.Cut(unsigned, ".")
	if whole == "" || dotted && fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return Decimal{}, ErrDecimal
	}
	padded := strings.Repeat("0", len(whole)%2) + whole + fraction + strings.Repeat("0", len(fraction)%2)
	digits := make([]byte, len(padded)/2)
	for i := range digits {
		digits[i] = 10*(padded[2*i]-'0') + padded[2*i+1] - '0'
	}
	rest := strings.TrimLeft(string(digits), "\x00")
	exponent := (len(whole)+1)/2 - 1 - (len(digits) - len(rest))
	rest = strings.TrimRight(rest, "\x00")
	if rest == "" {
		return Decimal{}, nil
	}
	if exponent < minExponent || exponent > maxExponent {
		return Decimal{}, ErrDecimal
	}
	return Decimal{digits: rest, exponent: int8(exponent), negative: negative}, nil
}

// NewDecimal returns the number unscaled · 10^-scale.
func NewDecimal(unscaled *big.Int, scale int) (Decimal, error) {
	if scale < -1000 || scale > 100_000 {
		return Decimal{}, ErrDecimal
	}
	digits := new(big.Int).Abs(unscaled).String()
	if scale > 0 {
		digits = strings.Repeat("0", max(scale+1-len(digits), 0)) + digits
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	} else if digits != "0" {
		digits += strings.Repeat("0", -scale)
	}
	if unscaled.Sign() < 0 {
		digits = "-" + digits
	}
	return ParseDecimal(digits)
}

// Rat returns the number as a fraction.
func (v Decimal) Rat() *big.Rat {
	rat, _ := new(big.Rat).SetString(v.String())
	return rat
}

// String returns the number without needless zeros and without an exponent.
func (v Decimal) String() string {
	if v.digits == "" {
		return "0"
	}
	var text strings.Builder
	last := int(v.exponent) + 1 - len(v.digits)
	for e := max(int(v.exponent), 0); e >= min(last, 0); e-- {
		if e == -1 {
			text.WriteByte('.')
		}
		digit := byte(0)
		if i := int(v.exponent) - e; i >= 0 && i < len(v.digits) {
			digit = v.digits[i]
		}
		text.WriteByte('0' + digit/10)
		text.WriteByte('0' + digit%10)
	}
	trimmed := text.String()
	if last < 0 {
		trimmed = strings.TrimRight(trimmed, "0")
	}
	trimmed = strings.TrimLeft(trimmed, "0")
	if strings.HasPrefix(trimmed, ".") {
		trimmed = "0" + trimmed
	}
	if v.negative {
		return "-" + trimmed
	}
	return trimmed
}

// Size is the number of bytes of the number, without a terminator.
func (v Decimal) Size() int { return len(v.digits) + 2 }

// AppendDecimal appends a `decimal`.
func AppendDecimal(dst []byte, v Decimal) []byte { return append(AppendDecimalRaw(dst, v), 0) }

// AppendDecimalRaw appends a `decimal raw`: without the terminator.
func AppendDecimalRaw(dst []byte, v Decimal) []byte {
	switch {
	case v.digits == "":
		return append(dst, 0x80)
	case v.negative:
		dst = append(dst, byte(0x3e-int(v.exponent)))
		for i := range len(v.digits) {
			dst = append(dst, 101-v.digits[i])
		}
		return append(dst, 0x66)
	default:
		dst = append(dst, byte(0xc1+int(v.exponent)))
		for i := range len(v.digits) {
			dst = append(dst, v.digits[i]+1)
		}
		return dst
	}
}

// Decimal reads a `decimal`.
func (r *Reader) Decimal() Decimal {
	run, at, _ := r.run()
	return r.decimal(at, run)
}

// DecimalRaw reads a `decimal raw`.
func (r *Reader) DecimalRaw() Decimal {
	at := r.at
	return r.decimal(at, r.rest())
}

// decimal reads a number from bytes as they are in the key.
func (r *Reader) decimal(at int, run []byte) Decimal {
	if r.err != nil {
		return Decimal{}
	}
	if len(run) == 0 {
		r.fail(at, BadValue, "no bytes", "a decimal")
		return Decimal{}
	}
	first, body := run[0]^r.mask, run[1:]
	switch {
	case first == 0x80 && len(body) == 0:
		return Decimal{}
	case first == 0x80:
		r.invalidBytes(at+1, "nothing after the 80 of a decimal 0")
	case first >= 0x01 && first <= 0x7e && run[len(run)-1]^r.mask != 0x66:
		r.invalidBytes(at+len(run), "66 at the end of a negative decimal")
	case first >= 0x01 && first <= 0x7e:
		body = body[:max(len(body)-1, 0)]
		return Decimal{r.decimalDigits(at+1, body, 101, -1), int8(0x3e - int(first)), true}
	case first >= 0x81 && first <= 0xfe:
		return Decimal{r.decimalDigits(at+1, body, -1, 1), int8(int(first) - 0xc1), false}
	default:
		r.invalidBytes(at, "a decimal: 80 for 0, 81 to fe before digits, or 01 to 7e before digits and 66")
	}
	return Decimal{}
}

// decimalDigits returns the digits of bytes, each of which is a digit by from + sign · byte.
func (r *Reader) decimalDigits(at int, body []byte, from, sign int) string {
	digits := make([]byte, len(body))
	for i, b := range body {
		digit := from + sign*int(b^r.mask)
		if digit < 0 || digit > 99 {
			r.invalidBytes(at+i, "a digit of base 100")
			return ""
		}
		digits[i] = byte(digit)
	}
	if len(body) == 0 || digits[0] == 0 || digits[len(body)-1] == 0 {
		r.invalidBytes(at, "digits, neither the first nor the last of which is 0")
		return ""
	}
	return string(digits)
}
