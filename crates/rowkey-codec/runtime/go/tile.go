package rowkey

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"strconv"
)

const maxZoom = 29

// Tile is a tile of a slippy map, of a zoom from 0, the world, to 29.
type Tile struct {
	// digits are two bits each, right-aligned.
	digits uint64
	zoom   uint8
}

// The errors of tiles.
var (
	// ErrTile says that a text is not the digits of a tile.
	ErrTile = errors.New("a tile is at most 29 digits, each 0 to 3")
	// ErrZoom says that a tile has another zoom than its field.
	ErrZoom = errors.New("the tile has another zoom than the field")
	// ErrXY says that a zoom has no such column or row.
	ErrXY = errors.New("the zoom has no such column or row")
)

// ParseTile returns the tile of these digits: each is the quarter, from 0 to 3, of the one before it.
func ParseTile(digits string) (Tile, error) {
	if len(digits) > maxZoom {
		return Tile{}, ErrTile
	}
	tile := Tile{zoom: uint8(len(digits))}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '3' {
			return Tile{}, ErrTile
		}
		tile.digits = tile.digits<<2 | uint64(digits[i]-'0')
	}
	return tile, nil
}

// TileAt returns the tile in a column, counted from 0 in the west, and a row, counted from 0 in the north: the x, y
// and z of a web map's URLs.
func TileAt(x, y uint32, zoom uint8) (Tile, error) {
	if zoom > maxZoom || x>>zoom != 0 || y>>zoom != 0 {
		return Tile{}, ErrXY
	}
	tile := Tile{zoom: zoom}
	for i := int(zoom) - 1; i >= 0; i-- {
		tile.digits = tile.digits<<2 | uint64(y>>i&1)<<1 | uint64(x>>i&1)
	}
	return tile, nil
}

// Zoom is the number of digits.
func (v Tile) Zoom() int { return int(v.zoom) }

// String returns the digits.
func (v Tile) String() string {
	digits := make([]byte, v.zoom)
	for i := range digits {
		digits[i] = '0' + byte(v.digits>>(2*(int(v.zoom)-1-i))&3)
	}
	return string(digits)
}

// AppendTile appends a `tile`: a zero bit, 58 bits of digits and then ones, and 31 less the zoom in five bits.
func AppendTile(dst []byte, v Tile) []byte {
	padding := 2 * (maxZoom - int(v.zoom))
	return AppendU64(dst, (v.digits<<padding|(1<<padding-1))<<5|uint64(31-v.zoom))
}

// Tile reads a `tile`.
func (r *Reader) Tile() Tile {
	at := r.at
	bits := r.U64()
	zoom := 31 - uint8(bits&31)
	switch {
	case r.err != nil:
		return Tile{}
	case bits>>63 != 0:
		r.invalidBytes(at, "a first bit of 0")
		return Tile{}
	case zoom > maxZoom:
		r.invalidBytes(at, "31 less the zoom, which is at most 29, in the last five bits")
		return Tile{}
	}
	padding := 2 * (maxZoom - int(zoom))
	if ones := uint64(1)<<padding - 1; bits>>5&ones != ones {
		r.invalidBytes(at, "ones after the digits")
		return Tile{}
	}
	return Tile{digits: bits >> 5 >> padding, zoom: zoom}
}

// AppendQuadkey appends a `quadkey` of this zoom: two bits a digit, then zeros to the end of the byte.
func AppendQuadkey(dst []byte, v Tile, zoom uint8) ([]byte, error) {
	if v.zoom != zoom {
		return dst, ErrZoom
	}
	return appendQuadkey(dst, v), nil
}

func appendQuadkey(dst []byte, v Tile) []byte {
	var aligned [8]byte
	binary.BigEndian.PutUint64(aligned[:], v.digits<<(64-2*v.zoom))
	return append(dst, aligned[:(v.zoom+3)/4]...)
}

// Quadkey reads a `quadkey` of this zoom.
func (r *Reader) Quadkey(zoom uint8) Tile {
	var aligned [8]byte
	r.Array(aligned[:(zoom+3)/4])
	digits, padding := binary.BigEndian.Uint64(aligned[:]), 64-2*int(zoom)
	if bits.TrailingZeros64(digits) < padding {
		r.invalidBytes(r.at-1, "zeros after the "+strconv.Itoa(int(zoom))+" digits")
		return Tile{}
	}
	return Tile{digits: digits >> padding, zoom: zoom}
}
