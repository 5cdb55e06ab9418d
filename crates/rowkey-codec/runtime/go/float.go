package rowkey

import "math"

// Floats have the order of IEEE 754's totalOrder: of a negative number all bits are inverted, of others the sign.

// AppendF32 appends an `f32`.
func AppendF32(dst []byte, v float32) []byte {
	bits := math.Float32bits(v)
	return AppendU32(dst, bits^(uint32(int32(bits)>>31)|1<<31))
}

// AppendF64 appends an `f64`.
func AppendF64(dst []byte, v float64) []byte {
	bits := math.Float64bits(v)
	return AppendU64(dst, bits^(uint64(int64(bits)>>63)|1<<63))
}

// F32 reads an `f32`.
func (r *Reader) F32() float32 {
	bits := r.U32()
	return math.Float32frombits(bits ^ (uint32(int32(^bits)>>31) | 1<<31))
}

// F64 reads an `f64`.
func (r *Reader) F64() float64 {
	bits := r.U64()
	return math.Float64frombits(bits ^ (uint64(int64(^bits)>>63) | 1<<63))
}
