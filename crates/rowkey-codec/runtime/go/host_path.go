package rowkey

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// HostPath is a host and a path, a page for instance: `kafka.apache.org/book?a=1`. Two are equal if they are ==.
type HostPath struct {
	// key is the text in a key: the labels of a name in reverse, then the path.
	key string
}

// ErrHost says that a text is not a host, in its one form.
var ErrHost = errors.New("a host is labels of a-z, 0-9, - and _, an IPv4 address, or an IPv6 one in brackets, " +
	"in its one form, without scheme, user and port")

// ParseHostPath returns the host path of a text, which is a host, and from the first `/` on a path. A host alone is
// read as if a `/` followed. There is no scheme, no user and no port; letters of the host are in lower case.
func ParseHostPath(text string) (HostPath, error) {
	host, path, found := strings.Cut(text, "/")
	if !found {
		path = ""
	}
	key, err := hostKey(host)
	if err != nil {
		return HostPath{}, err
	}
	return HostPath{key + "/" + path}, nil
}

// Host is the host as people write it.
func (v HostPath) Host() string {
	host, _, _ := strings.Cut(v.key, "/")
	if isAddress(host) {
		return host
	}
	return reverseLabels(host)
}

// Path is the path, which begins with `/`.
func (v HostPath) Path() string { return v.key[max(strings.IndexByte(v.key, '/'), 0):] }

// String returns the host and the path as people write them.
func (v HostPath) String() string { return v.Host() + v.Path() }

// Size is the number of bytes of the host and the path.
func (v HostPath) Size() int { return len(v.key) }

// AppendHostPath appends a `host_path`.
func AppendHostPath(dst []byte, v HostPath) ([]byte, error) {
	if v.key == "" {
		return dst, ErrHost
	}
	return AppendText(dst, v.key)
}

// AppendHostPathRaw appends a `host_path raw`.
func AppendHostPathRaw(dst []byte, v HostPath) ([]byte, error) {
	if v.key == "" {
		return dst, ErrHost
	}
	return AppendTextRaw(dst, v.key)
}

// HostPath reads a `host_path`.
func (r *Reader) HostPath() HostPath {
	at := r.at
	return r.hostPath(at, r.Text())
}

// HostPathRaw reads a `host_path raw`.
func (r *Reader) HostPathRaw() HostPath {
	at := r.at
	return r.hostPath(at, r.TextRaw())
}

func (r *Reader) hostPath(at int, key string) HostPath {
	if r.err != nil {
		return HostPath{}
	}
	host, _, found := strings.Cut(key, "/")
	if !found || !isAddress(host) && !isReversedName(host) {
		r.invalid(at, key, "a host in its one form, then a path")
		return HostPath{}
	}
	return HostPath{key}
}

// hostKey returns a host, as people write it, as it is in a key.
func hostKey(host string) (string, error) {
	if isAddress(host) {
		return host, nil
	}
	if key := reverseLabels(host); isReversedName(key) {
		return key, nil
	}
	return "", fmt.Errorf("%w: %q", ErrHost, host)
}

// isAddress returns whether a host is an address in its one form.
func isAddress(host string) bool {
	if !strings.HasPrefix(host, "[") {
		address, err := netip.ParseAddr(host)
		return err == nil && address.Is4()
	}
	inner, closed := strings.CutSuffix(host[1:], "]")
	address, err := netip.ParseAddr(inner)
	if !closed || err != nil || !address.Is6() || address.Zone() != "" {
		return false
	}
	if address.Is4In6() {
		bytes := address.As16()
		return inner == fmt.Sprintf("::ffff:%x:%x", uint16(bytes[12])<<8|uint16(bytes[13]),
			uint16(bytes[14])<<8|uint16(bytes[15]))
	}
	return inner == address.String()
}

// isReversedName returns whether a text is a name whose labels are in reverse. The first is not digits alone.
func isReversedName(name string) bool {
	first, size := true, 0
	digits := true
	for i := range len(name) {
		switch b := name[i]; {
		case b == '.':
			if size == 0 || first && digits {
				return false
			}
			first, size = false, 0
			continue
		case b >= '0' && b <= '9':
		case b >= 'a' && b <= 'z', b == '-', b == '_':
			digits = false
		default:
			return false
		}
		size++
	}
	return size > 0 && !(first && digits)
}

func reverseLabels(name string) string {
	var reversed strings.Builder
	reversed.Grow(len(name))
	for {
		dot := strings.LastIndexByte(name, '.')
		reversed.WriteString(name[dot+1:])
		if dot < 0 {
			return reversed.String()
		}
		reversed.WriteByte('.')
		name = name[:dot]
	}
}

// hostSpan are the host paths of a domain and all its subdomains, or of an address: from the first text, included, to
// the second, excluded.
func hostSpan(host string) (from, to string, err error) {
	key, err := hostKey(host)
	if err != nil {
		return "", "", err
	}
	if isAddress(host) {
		return key + "/", key + "0", nil
	}
	return key + ".", key + "0", nil
}
