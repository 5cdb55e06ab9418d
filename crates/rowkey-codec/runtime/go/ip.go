package rowkey

import (
	"errors"
	"net/netip"
)

// ErrAddress says that an address is none, or has a zone.
var ErrAddress = errors.New("the address is not valid, or has a zone")

// AppendIPAddr appends an `ipaddr`: 04 or 06, then the address.
func AppendIPAddr(dst []byte, v netip.Addr) ([]byte, error) {
	switch {
	case v.Is4():
		address := v.As4()
		return append(append(dst, 4), address[:]...), nil
	case v.Is6() && v.Zone() == "":
		address := v.As16()
		return append(append(dst, 6), address[:]...), nil
	default:
		return dst, ErrAddress
	}
}

// IPAddr reads an `ipaddr`.
func (r *Reader) IPAddr() netip.Addr {
	at := r.at
	switch r.U8() {
	case 4:
		var address [4]byte
		r.Array(address[:])
		return netip.AddrFrom4(address)
	case 6:
		var address [16]byte
		r.Array(address[:])
		return netip.AddrFrom16(address)
	default:
		r.badByte(at, "an address begins with 04 or 06")
		return netip.Addr{}
	}
}
