package rowkey

import (
	"cmp"
	"errors"
	"math/big"
	"math/bits"
)

// U128 is an unsigned integer of 128 bits.
type U128 struct {
	// Hi are the higher 64 bits, Lo the lower ones.
	Hi, Lo uint64
}

// I128 is a signed integer of 128 bits, in two's complement.
type I128 struct {
	// Hi are the higher 64 bits, with the sign, and Lo the lower ones.
	Hi int64
	Lo uint64
}

// ErrRange says that a number is not one of its type.
var ErrRange = errors.New("the number is out of the range of its type")

// Cmp returns -1, 0 or +1 as v is less than w, equal or greater.
func (v U128) Cmp(w U128) int { return cmp.Or(cmp.Compare(v.Hi, w.Hi), cmp.Compare(v.Lo, w.Lo)) }

// Cmp returns -1, 0 or +1 as v is less than w, equal or greater.
func (v I128) Cmp(w I128) int { return cmp.Or(cmp.Compare(v.Hi, w.Hi), cmp.Compare(v.Lo, w.Lo)) }

// Signed returns the number of these bits in two's complement.
func (v U128) Signed() I128 { return I128{int64(v.Hi), v.Lo} }

// Bits returns the bits of the number, in two's complement.
func (v I128) Bits() U128 { return U128{uint64(v.Hi), v.Lo} }

// Big returns the number as a big integer.
func (v U128) Big() *big.Int {
	n := new(big.Int).SetUint64(v.Hi)
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(v.Lo))
}

// Big returns the number as a big integer.
func (v I128) Big() *big.Int {
	n := big.NewInt(v.Hi)
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(v.Lo))
}

func (v U128) String() string { return v.Big().String() }

func (v I128) String() string { return v.Big().String() }

// U128FromBig returns a big integer as a number of 128 bits.
func U128FromBig(n *big.Int) (U128, error) {
	if n.Sign() < 0 || n.BitLen() > 128 {
		return U128{}, ErrRange
	}
	low := new(big.Int).And(n, new(big.Int).SetUint64(1<<64-1))
	return U128{Hi: new(big.Int).Rsh(n, 64).Uint64(), Lo: low.Uint64()}, nil
}

// I128FromBig returns a big integer as a number of 128 bits.
func I128FromBig(n *big.Int) (I128, error) {
	size := n
	if n.Sign() < 0 {
		size = new(big.Int).Not(n)
	}
	if size.BitLen() > 127 {
		return I128{}, ErrRange
	}
	low := new(big.Int).And(n, new(big.Int).SetUint64(1<<64-1))
	return I128{Hi: new(big.Int).Rsh(n, 64).Int64(), Lo: low.Uint64()}, nil
}

// AppendU128 appends a `u128`.
func AppendU128(dst []byte, v U128) []byte { return AppendU64(AppendU64(dst, v.Hi), v.Lo) }

// AppendI128 appends an `i128`.
func AppendI128(dst []byte, v I128) []byte { return AppendU64(AppendI64(dst, v.Hi), v.Lo) }

// U128 reads a `u128`.
func (r *Reader) U128() U128 {
	b := r.take(16)
	if b == nil {
		return U128{}
	}
	half := Reader{key: b, mask: r.mask, ones: r.ones}
	return U128{Hi: half.U64(), Lo: half.U64()}
}

// I128 reads an `i128`.
func (r *Reader) I128() I128 {
	v := r.U128()
	return I128{Hi: int64(v.Hi ^ 1<<63), Lo: v.Lo}
}

// times returns v·factor + plus; false if it has more than 128 bits.
func (v U128) times(factor, plus uint64) (U128, bool) {
	overLow, low := bits.Mul64(v.Lo, factor)
	overHigh, high := bits.Mul64(v.Hi, factor)
	low, carry := bits.Add64(low, plus, 0)
	high, carry = bits.Add64(high, overLow, carry)
	return U128{high, low}, overHigh == 0 && carry == 0
}

// over returns the quotient and the remainder of v by a divisor.
func (v U128) over(divisor uint64) (U128, uint64) {
	high, rest := v.Hi/divisor, v.Hi%divisor
	low, rest := bits.Div64(rest, v.Lo, divisor)
	return U128{high, low}, rest
}

// minus returns v - w; false if it is below 0.
func (v U128) minus(w U128) (U128, bool) {
	low, borrow := bits.Sub64(v.Lo, w.Lo, 0)
	high, borrow := bits.Sub64(v.Hi, w.Hi, borrow)
	return U128{high, low}, borrow == 0
}
