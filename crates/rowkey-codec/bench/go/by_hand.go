// Package speed has keys by hand, which check and write what the generated ones do.
package speed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"unicode/utf8"

	"rowkeys"
	"rowkeys/rowkey"
)

var errKey = errors.New("no key")

func encodeAction(k rowkeys.Action) []byte {
	key := make([]byte, 0, 20)
	key = binary.BigEndian.AppendUint64(key, k.User)
	key = binary.BigEndian.AppendUint64(key, ^(uint64(k.At) ^ 1<<63))
	return binary.BigEndian.AppendUint32(key, k.Event)
}

func decodeAction(key []byte) (k rowkeys.Action, err error) {
	if len(key) != 20 {
		return k, errKey
	}
	k.User = binary.BigEndian.Uint64(key)
	k.At = int64(^binary.BigEndian.Uint64(key[8:]) ^ 1<<63)
	k.Event = binary.BigEndian.Uint32(key[16:])
	return k, nil
}

func appendText(key []byte, text string) ([]byte, error) {
	if !utf8.ValidString(text) {
		return nil, errKey
	}
	for i := 0; i < len(text); i++ {
		if text[i] < 2 {
			key = append(key, 1, text[i]+1)
		} else {
			key = append(key, text[i])
		}
	}
	return append(key, 0), nil
}

func encodeVisit(k rowkeys.Visit) ([]byte, error) {
	size := 1 + len(k.User) + 1 + 8 + 2 + 1
	for _, tag := range k.Tags {
		size += len(tag) + 2
	}
	key := append(make([]byte, 0, size), 0)
	key, err := appendText(key, k.User)
	if err != nil {
		return nil, err
	}
	key[0] = byte(rowkey.XXH3(key[1:]) % 16)
	key = binary.BigEndian.AppendUint64(key, ^(uint64(k.At) ^ 1<<63))
	if k.Level.Present {
		key = append(key, 1, k.Level.Value)
	} else {
		key = append(key, 0)
	}
	for _, tag := range k.Tags {
		if key, err = appendText(append(key, 1), tag); err != nil {
			return nil, err
		}
	}
	return append(key, 0), nil
}

func readText(key []byte) (text string, rest []byte, err error) {
	end := bytes.IndexByte(key, 0)
	if end < 0 {
		return "", nil, errKey
	}
	run, rest := key[:end], key[end+1:]
	if bytes.IndexByte(run, 1) < 0 {
		if !utf8.Valid(run) {
			return "", nil, errKey
		}
		return string(run), rest, nil
	}
	plain := make([]byte, 0, len(run))
	for i := 0; i < len(run); i++ {
		b := run[i]
		if b == 1 {
			i++
			if i == len(run) || run[i] != 1 && run[i] != 2 {
				return "", nil, errKey
			}
			b = run[i] - 1
		}
		plain = append(plain, b)
	}
	if !utf8.Valid(plain) {
		return "", nil, errKey
	}
	return string(plain), rest, nil
}

func decodeVisit(key []byte) (k rowkeys.Visit, err error) {
	if len(key) < 1 {
		return k, errKey
	}
	salt, rest := key[0], key[1:]
	if k.User, rest, err = readText(rest); err != nil {
		return k, err
	}
	if salt != byte(rowkey.XXH3(key[1:len(key)-len(rest)])%16) || len(rest) < 9 {
		return k, errKey
	}
	k.At = int64(^binary.BigEndian.Uint64(rest) ^ 1<<63)
	tag := rest[8]
	rest = rest[9:]
	if tag == 1 && len(rest) > 0 {
		k.Level = rowkey.Some(rest[0])
		rest = rest[1:]
	} else if tag != 0 {
		return k, errKey
	}
	for {
		if len(rest) == 0 || rest[0] > 1 {
			return k, errKey
		}
		if rest[0] == 0 {
			break
		}
		var text string
		if text, rest, err = readText(rest[1:]); err != nil {
			return k, err
		}
		k.Tags = append(k.Tags, text)
	}
	if len(rest) != 1 {
		return k, errKey
	}
	return k, nil
}

func encodeSample(k rowkeys.Sample) ([]byte, error) {
	key := make([]byte, 0, len(k.Host)+11)
	if !utf8.ValidString(k.Host) {
		return nil, errKey
	}
	key = append(append(key, k.Host...), '#')
	if bytes.IndexByte(key, '#') != len(key)-1 || k.At > 9_999_999_999 {
		return nil, errKey
	}
	for power := uint64(1_000_000_000); power > 0; power /= 10 {
		key = append(key, '0'+byte(k.At/power%10))
	}
	return key, nil
}

func decodeSample(key []byte) (k rowkeys.Sample, err error) {
	end := bytes.IndexByte(key, '#')
	if end < 0 || len(key) != end+11 || !utf8.Valid(key[:end]) {
		return k, errKey
	}
	for _, digit := range key[end+1:] {
		if digit < '0' || digit > '9' {
			return k, errKey
		}
	}
	k.Host = string(key[:end])
	k.At, err = strconv.ParseUint(string(key[end+1:]), 10, 64)
	return k, err
}
