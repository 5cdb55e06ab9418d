package rowkey

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Shown is a value as people read it, in one line: what is no printable character is escaped.
type Shown string

// ShowChar shows a `char`.
func ShowChar(v rune) Shown { return Shown(strconv.QuoteRune(v)) }

// ShowUUID shows the bytes of a UUID.
func ShowUUID(v [16]byte) Shown {
	text, err := AppendUUIDText(nil, v, &End{Key: true})
	if err != nil {
		return Shown(hex.EncodeToString(v[:]))
	}
	return Shown(text)
}

// ShowOption shows an option by its value.
func ShowOption[T any](v Option[T], show func(T) Shown) Shown {
	if !v.Present {
		return "none"
	}
	return "some(" + show(v.Value) + ")"
}

// ShowList shows a list by its items.
func ShowList[T any](v []T, show func(T) Shown) Shown {
	items := make([]string, 0, len(v))
	for _, item := range v {
		items = append(items, string(show(item)))
	}
	return Shown("[" + strings.Join(items, " ") + "]")
}

// ShowRecord shows the fields of a tuple, or of a variant of this name.
func ShowRecord(name string, fields ...any) Shown {
	shown := make([]string, 0, len(fields))
	for _, field := range fields {
		shown = append(shown, show(field))
	}
	if len(fields) == 0 && name != "" {
		return Shown(printable(name))
	}
	return Shown(printable(name) + "(" + strings.Join(shown, ", ") + ")")
}

func (v Option[T]) shown() string {
	return string(ShowOption(v, func(v T) Shown { return Shown(show(v)) }))
}

func show(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case Shown:
		return string(value)
	case string:
		return strconv.Quote(value)
	case []byte:
		return hex.EncodeToString(value)
	case interface{ shown() string }:
		return value.shown()
	case fmt.Stringer:
		return printable(value.String())
	}
	list := reflect.ValueOf(value)
	if kind := list.Kind(); kind != reflect.Slice && kind != reflect.Array {
		return fmt.Sprint(value)
	}
	if list.Type().Elem().Kind() == reflect.Uint8 && list.Kind() == reflect.Array {
		return fmt.Sprintf("%x", value)
	}
	items := make([]string, 0, list.Len())
	for i := range list.Len() {
		items = append(items, show(list.Index(i).Interface()))
	}
	return "[" + strings.Join(items, " ") + "]"
}

// printable returns the text with escapes for what is not printable.
func printable(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return text
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}
