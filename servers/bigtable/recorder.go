// Runs every case of a file of cases, see its header, each in Google's Bigtable emulator of its own, and writes the file
// again with the answers that the emulator gave.
//
// Needs Go and the emulator of the Google Cloud CLI. In an empty folder with a copy of this file:
//
//	go mod init recorder && go get cloud.google.com/go/bigtable@v1.58.0 && go mod tidy
//	go run . "$(gcloud info --format='value(installation.sdk_root)')/platform/bigtable-emulator/cbtemulator" bigtable.cases
package main

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	admin "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	bt "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	instance = "projects/p/instances/i"
	table    = instance + "/tables/t"
	// The emulator collects garbage every 0.5 to 1.5 s once a rule was changed.
	collected = 1600 * time.Millisecond
)

// A refusal's text, or a piece of it, and our word for it; any other is called by its code.
var words = [][2]string{
	{"unknown family", "no-such-family"},
	{"non-64-bit value", "not-a-counter"},
	{"Row keys must be non-empty", "empty-row"},
	{"No mutations provided", "no-mutations"},
	{"invalid timestamp -", "negative-timestamp"},
}

// What Bigtable has no request for.
type unsupported string

func (u unsupported) Error() string { return "unsupported " + string(u) }

type column struct {
	family    string
	qualifier []byte
}

type recorder struct {
	emulator *exec.Cmd
	conn     *grpc.ClientConn
	data     bt.BigtableClient
	tables   admin.BigtableTableAdminClient
	families map[string]*admin.ColumnFamily
	// What `now` in a timestamp means, in microseconds.
	begin int64
	// How far the client's clock is ahead, and how far it has been at most, in microseconds.
	ahead, most int64
	// The client's clock, where it stands still.
	frozen int64
	// The timestamps that the case gave, as it wrote them.
	given     map[int64]string
	collector bool
}

func main() {
	text, err := os.ReadFile(os.Args[2])
	must(err)
	var out []string
	var r *recorder
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		step := strings.TrimSpace(line)
		if strings.HasPrefix(step, "=") {
			continue
		}
		out = append(out, line)
		switch {
		case step == "" || strings.HasPrefix(step, "#"):
		case strings.HasPrefix(step, "case "):
			fmt.Println(step)
		case strings.HasPrefix(step, "table "):
			if r != nil {
				r.stop()
			}
			r = start(os.Args[1], strings.TrimPrefix(step, "table "))
		default:
			for _, answer := range r.answer(step) {
				out = append(out, "  = "+answer)
			}
		}
	}
	if r != nil {
		r.stop()
	}
	must(os.WriteFile(os.Args[2], []byte(strings.Join(out, "\n")+"\n"), 0o644))
}

func start(emulator, families string) *recorder {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	port := listener.Addr().(*net.TCPAddr).Port
	must(listener.Close())
	r := &recorder{families: map[string]*admin.ColumnFamily{}, given: map[int64]string{}}
	r.emulator = exec.Command(emulator, "-host", "127.0.0.1", "-port", strconv.Itoa(port))
	must(r.emulator.Start())
	r.conn, err = grpc.NewClient(fmt.Sprintf("127.0.0.1:%d", port),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true), grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)))
	must(err)
	r.data, r.tables = bt.NewBigtableClient(r.conn), admin.NewBigtableTableAdminClient(r.conn)
	for _, family := range strings.Split(families, ";") {
		fields := strings.Fields(family)
		r.families[string(bytes(fields[0]))] = &admin.ColumnFamily{GcRule: rule(fields[1:])}
	}
	_, err = r.tables.CreateTable(context.Background(), &admin.CreateTableRequest{
		Parent: instance, TableId: "t", Table: &admin.Table{ColumnFamilies: r.families},
	})
	must(err)
	r.begin = time.Now().UnixMilli() * 1000
	return r
}

func (r *recorder) stop() {
	must(r.conn.Close())
	must(r.emulator.Process.Kill())
	_ = r.emulator.Wait()
}

// More than the family's versions go; those older than its ttl too, but for its newest `min`.
func rule(options []string) *admin.GcRule {
	versions, least, ttl := int32(1), int32(0), int64(0)
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "versions":
			versions = int32(number(value))
		case "min":
			least = int32(number(value))
		case "ttl":
			ttl = number(value)
		default:
			panic(option)
		}
	}
	newest := func(n int32) *admin.GcRule {
		return &admin.GcRule{Rule: &admin.GcRule_MaxNumVersions{MaxNumVersions: n}}
	}
	if ttl == 0 {
		return newest(versions)
	}
	old := &admin.GcRule{Rule: &admin.GcRule_MaxAge{MaxAge: durationpb.New(time.Duration(ttl) * time.Second)}}
	if least > 0 {
		both := &admin.GcRule_Intersection{Rules: []*admin.GcRule{old, newest(least)}}
		old = &admin.GcRule{Rule: &admin.GcRule_Intersection_{Intersection: both}}
	}
	either := &admin.GcRule_Union{Rules: []*admin.GcRule{newest(versions), old}}
	return &admin.GcRule{Rule: &admin.GcRule_Union_{Union: either}}
}

func (r *recorder) answer(step string) []string {
	// So that no two steps get one time.
	time.Sleep(2 * time.Millisecond)
	answer, err := r.run(strings.Fields(step))
	if err != nil {
		return []string{refusal(err)}
	}
	return answer
}

func refusal(err error) string {
	var not unsupported
	if errors.As(err, &not) {
		return not.Error()
	}
	code, message := status.Code(err), status.Convert(err).Message()
	for _, known := range words {
		if strings.Contains(message, known[0]) {
			return fmt.Sprintf("error %s %v: %s", known[1], code, message)
		}
	}
	word := strings.ToLower(regexp.MustCompile(`(.)([A-Z])`).ReplaceAllString(code.String(), "$1-$2"))
	return fmt.Sprintf("error %s %s", word, message)
}

func (r *recorder) run(words []string) ([]string, error) {
	ctx := context.Background()
	verb, rest := words[0], words[1:]
	switch verb {
	case "flush", "split":
		return nil, nil
	case "major-compact":
		return nil, r.collect(ctx)
	case "clock":
		r.ahead = number(rest[0]) * 1000
		r.most = max(r.most, r.ahead)
		return nil, nil
	case "get", "exists", "scan", "scan-while":
		if r.collector {
			time.Sleep(collected)
		}
	}
	switch verb {
	case "get":
		filter, err := r.filter(rest[1:])
		if err != nil {
			return nil, err
		}
		rows := &bt.RowSet{RowKeys: [][]byte{bytes(rest[0])}}
		return r.steady(rest, func() ([]string, error) {
			found, err := r.read(ctx, &bt.ReadRowsRequest{TableName: table, Rows: rows, Filter: filter}, nil)
			if len(found) > 1 {
				found = found[1:]
			}
			return found, err
		})
	case "exists":
		filter, err := r.filter(rest[1:])
		if err != nil {
			return nil, err
		}
		filter = chain(filter, perRow(1), &bt.RowFilter{Filter: &bt.RowFilter_StripValueTransformer{StripValueTransformer: true}})
		rows := &bt.RowSet{RowKeys: [][]byte{bytes(rest[0])}}
		found, err := r.read(ctx, &bt.ReadRowsRequest{TableName: table, Rows: rows, Filter: filter}, nil)
		return []string{fmt.Sprint(len(found) > 1)}, err
	case "scan":
		request, err := r.scan(rest)
		if err != nil {
			return nil, err
		}
		return r.steady(rest, func() ([]string, error) { return r.read(ctx, request, nil) })
	case "scan-while":
		end := slices.Index(rest, "}")
		request, err := r.scan(rest[end+1:])
		if err != nil {
			return nil, err
		}
		return r.read(ctx, request, func() error { return r.each(ctx, rest[1:end]) })
	case "increment":
		return r.increment(ctx, rest)
	case "check":
		return r.check(ctx, rest)
	case "within-ms":
		r.frozen = time.Now().UnixMilli() * 1000
		err := r.each(ctx, rest[1:len(rest)-1])
		r.frozen = 0
		return nil, err
	case "batch":
		return r.batch(ctx, rest[1:len(rest)-1])
	case "mutate":
		mutations, err := r.block(rest[1:])
		if err != nil {
			return nil, err
		}
		return nil, r.mutate(ctx, bytes(rest[0]), mutations)
	}
	mutation, err := r.mutation(verb, rest[1:])
	if err != nil {
		return nil, err
	}
	return nil, r.mutate(ctx, bytes(rest[0]), []*bt.Mutation{mutation})
}

// What is documented to be found again by garbage collection; the emulator begins with it when a rule was set.
func (r *recorder) collect(ctx context.Context) error {
	request := &admin.ModifyColumnFamiliesRequest{Name: table}
	for name, family := range r.families {
		update := &admin.ModifyColumnFamiliesRequest_Modification_Update{Update: family}
		request.Modifications = append(request.Modifications, &admin.ModifyColumnFamiliesRequest_Modification{Id: name, Mod: update})
	}
	_, err := r.tables.ModifyColumnFamilies(ctx, request)
	r.collector = true
	return err
}

// Writes.

func (r *recorder) mutate(ctx context.Context, row []byte, mutations []*bt.Mutation) error {
	_, err := r.data.MutateRow(ctx, &bt.MutateRowRequest{TableName: table, RowKey: row, Mutations: mutations})
	return err
}

// Each of the writes in a call of its own.
func (r *recorder) each(ctx context.Context, words []string) error {
	for _, one := range split(words) {
		mutation, err := r.mutation(one[0], one[2:])
		if err == nil {
			err = r.mutate(ctx, bytes(one[1]), []*bt.Mutation{mutation})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// All the writes in one call; neighbours that write to one row are one entry.
func (r *recorder) batch(ctx context.Context, words []string) ([]string, error) {
	request := &bt.MutateRowsRequest{TableName: table}
	for _, one := range split(words) {
		row := bytes(one[1])
		mutation, err := r.mutation(one[0], one[2:])
		if err != nil {
			return nil, err
		}
		if n := len(request.Entries); n == 0 || !slices.Equal(request.Entries[n-1].RowKey, row) {
			request.Entries = append(request.Entries, &bt.MutateRowsRequest_Entry{RowKey: row})
		}
		entry := request.Entries[len(request.Entries)-1]
		entry.Mutations = append(entry.Mutations, mutation)
	}
	stream, err := r.data.MutateRows(ctx, request)
	if err != nil {
		return nil, err
	}
	lines := make([]string, len(request.Entries))
	for {
		response, err := stream.Recv()
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		for _, entry := range response.Entries {
			lines[entry.Index] = "row " + text(request.Entries[entry.Index].RowKey) + " done"
			if entry.Status.GetCode() != 0 {
				refused := status.Error(codes.Code(entry.Status.Code), entry.Status.Message)
				lines[entry.Index] = "row " + text(request.Entries[entry.Index].RowKey) + " " + refusal(refused)
			}
		}
	}
}

func (r *recorder) block(words []string) ([]*bt.Mutation, error) {
	var mutations []*bt.Mutation
	for _, one := range split(words[1 : len(words)-1]) {
		mutation, err := r.mutation(one[0], one[1:])
		if err != nil {
			return nil, err
		}
		mutations = append(mutations, mutation)
	}
	return mutations, nil
}

// What stands between the semicolons.
func split(words []string) [][]string {
	var parts [][]string
	for i, word := range words {
		if i == 0 || word == ";" {
			parts = append(parts, nil)
		}
		if word != ";" {
			parts[len(parts)-1] = append(parts[len(parts)-1], word)
		}
	}
	return parts
}

func (r *recorder) mutation(verb string, words []string) (*bt.Mutation, error) {
	if verb == "delete-row" {
		if len(words) > 0 {
			return nil, unsupported("DeleteFromRow has no timestamp")
		}
		return &bt.Mutation{Mutation: &bt.Mutation_DeleteFromRow_{DeleteFromRow: &bt.Mutation_DeleteFromRow{}}}, nil
	}
	if verb == "delete-family" {
		if len(words) > 1 {
			return nil, unsupported("DeleteFromFamily has no timestamp")
		}
		from := &bt.Mutation_DeleteFromFamily{FamilyName: string(bytes(words[0]))}
		return &bt.Mutation{Mutation: &bt.Mutation_DeleteFromFamily_{DeleteFromFamily: from}}, nil
	}
	column, at, timed := named(words[0]), int64(0), len(words) > 1 && words[1][0] == '@'
	if timed {
		var err error
		if at, err = r.time(words[1][1:]); err != nil {
			return nil, err
		}
		r.given[at] = words[1][1:]
	}
	if verb == "put" {
		if !timed {
			at = r.now()
		}
		set := &bt.Mutation_SetCell{FamilyName: column.family, ColumnQualifier: column.qualifier, TimestampMicros: at, Value: bytes(words[len(words)-1])}
		return &bt.Mutation{Mutation: &bt.Mutation_SetCell_{SetCell: set}}, nil
	}
	if verb == "delete-latest" {
		return nil, unsupported("no mutation deletes the newest version")
	}
	from := &bt.Mutation_DeleteFromColumn{FamilyName: column.family, ColumnQualifier: column.qualifier}
	if timed {
		from.TimeRange = &bt.TimestampRange{EndTimestampMicros: at + 1000}
		if at > math.MaxInt64-1000 {
			from.TimeRange.EndTimestampMicros = 0
		}
	}
	if verb == "delete-version" {
		from.TimeRange.StartTimestampMicros = at
	}
	return &bt.Mutation{Mutation: &bt.Mutation_DeleteFromColumn_{DeleteFromColumn: from}}, nil
}

func (r *recorder) increment(ctx context.Context, words []string) ([]string, error) {
	request := &bt.ReadModifyWriteRowRequest{TableName: table, RowKey: bytes(words[0])}
	for i := 1; i < len(words); i += 2 {
		column := named(words[i])
		amount := &bt.ReadModifyWriteRule_IncrementAmount{IncrementAmount: number(words[i+1])}
		request.Rules = append(request.Rules, &bt.ReadModifyWriteRule{FamilyName: column.family, ColumnQualifier: column.qualifier, Rule: amount})
	}
	response, err := r.data.ReadModifyWriteRow(ctx, request)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, family := range response.Row.Families {
		for _, column := range family.Columns {
			for _, cell := range column.Cells {
				sum := int64(binary.BigEndian.Uint64(cell.Value))
				lines = append(lines, fmt.Sprintf("%s:%s %d", text([]byte(family.Name)), text(column.Qualifier), sum))
			}
		}
	}
	return byFamily(lines), nil
}

func (r *recorder) check(ctx context.Context, words []string) ([]string, error) {
	column, op := named(words[1]), words[2]
	request := &bt.CheckAndMutateRowRequest{TableName: table, RowKey: bytes(words[0])}
	request.PredicateFilter = chain(one(column), perColumn(1))
	rest := words[3:]
	if op != "absent" {
		request.PredicateFilter = chain(one(column), perColumn(1), value(op, bytes(words[3])))
		rest = words[4:]
	}
	mutations, err := r.block(rest)
	if err != nil {
		return nil, err
	}
	if op == "absent" {
		request.FalseMutations = mutations
	} else {
		request.TrueMutations = mutations
	}
	response, err := r.data.CheckAndMutateRow(ctx, request)
	return []string{fmt.Sprint(response.GetPredicateMatched() != (op == "absent"))}, err
}

// Lines that begin with a column, in the order of their families, which have no order of their own.
func byFamily(lines []string) []string {
	slices.SortStableFunc(lines, func(a, b string) int {
		a, _, _ = strings.Cut(a, ":")
		b, _, _ = strings.Cut(b, ":")
		return strings.Compare(a, b)
	})
	return lines
}

// Reads.

// The answer, if it is the same each time: the emulator counts the cells of a row in no steady order of families.
func (r *recorder) steady(words []string, ask func() ([]string, error)) ([]string, error) {
	first, err := ask()
	counted := slices.ContainsFunc(words, func(word string) bool {
		return strings.HasPrefix(word, "page=") || word == "first-key-only"
	})
	for i := 0; counted && err == nil && i < 20; i++ {
		again, err := ask()
		if err != nil || !slices.Equal(first, again) {
			return nil, unsupported("the emulator's answers differ from call to call")
		}
	}
	return first, err
}

// Reads rows, and calls back after the first.
func (r *recorder) read(ctx context.Context, request *bt.ReadRowsRequest, first func() error) ([]string, error) {
	if request.Reversed {
		flags, err := proto.Marshal(&bt.FeatureFlags{ReverseScans: true})
		must(err)
		ctx = metadata.AppendToOutgoingContext(ctx, "bigtable-features", base64.URLEncoding.EncodeToString(flags))
	}
	stream, err := r.data.ReadRows(ctx, request)
	if err != nil {
		return nil, err
	}
	var lines, cells []string
	var row []byte
	var family string
	var qualifier []byte
	for {
		response, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for _, chunk := range response.Chunks {
			if chunk.ValueSize != 0 || chunk.GetResetRow() {
				panic("a cell in pieces, or a row anew")
			}
			if len(chunk.RowKey) > 0 {
				row = chunk.RowKey
			}
			if chunk.FamilyName != nil {
				family = chunk.FamilyName.Value
			}
			if chunk.Qualifier != nil {
				qualifier = chunk.Qualifier.Value
			}
			cells = append(cells, fmt.Sprintf("%s:%s @%s %s", text([]byte(family)), text(qualifier), r.stamp(chunk.TimestampMicros), text(chunk.Value)))
			if !chunk.GetCommitRow() {
				continue
			}
			lines = append(append(lines, "row "+text(row)), byFamily(cells)...)
			cells = nil
			if first != nil {
				if err := first(); err != nil {
					return nil, err
				}
				first = nil
			}
		}
	}
	if lines == nil {
		return []string{"nothing"}, nil
	}
	return lines, nil
}

func (r *recorder) scan(words []string) (*bt.ReadRowsRequest, error) {
	request := &bt.ReadRowsRequest{TableName: table}
	var others []string
	var start, stop []byte
	var after, through bool
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "start":
			start = bytes(value)
		case "start-after":
			start, after = bytes(value), true
		case "stop":
			stop = bytes(value)
		case "through":
			stop, through = bytes(value), true
		case "reverse":
			request.Reversed = true
		case "limit":
			request.RowsLimit = number(value)
		case "batch":
			return nil, unsupported("no request for pieces of rows")
		default:
			others = append(others, word)
		}
	}
	low, lowClosed, high, highClosed := start, !after, stop, through
	if request.Reversed {
		low, lowClosed, high, highClosed = stop, through, start, !after
	}
	span := &bt.RowRange{}
	if len(low) > 0 && lowClosed {
		span.StartKey = &bt.RowRange_StartKeyClosed{StartKeyClosed: low}
	} else if len(low) > 0 {
		span.StartKey = &bt.RowRange_StartKeyOpen{StartKeyOpen: low}
	}
	if len(high) > 0 && highClosed {
		span.EndKey = &bt.RowRange_EndKeyClosed{EndKeyClosed: high}
	} else if len(high) > 0 {
		span.EndKey = &bt.RowRange_EndKeyOpen{EndKeyOpen: high}
	}
	request.Rows = &bt.RowSet{RowRanges: []*bt.RowRange{span}}
	filter, err := r.filter(others)
	request.Filter = filter
	return request, err
}

// Columns, then time, value, versions, page; the condition on the row around all of it.
func (r *recorder) filter(options []string) (*bt.RowFilter, error) {
	var families []string
	var chosen, rest []*bt.RowFilter
	var spanned []string
	versions := int32(1)
	around := func(filter *bt.RowFilter) *bt.RowFilter { return filter }
	var tests []string
	for _, option := range options {
		name, given, _ := strings.Cut(option, "=")
		from, to, _ := strings.Cut(given, "..")
		switch name {
		case "families":
			families = strings.Split(given, ",")
		case "columns":
			for _, word := range strings.Split(given, ",") {
				chosen = append(chosen, one(named(word)))
			}
		case "versions":
			versions = int32(number(given))
		case "time":
			min, err := r.time(from)
			if err != nil {
				min = math.MaxInt64
			}
			max, err := r.time(to)
			if err != nil {
				max = 0 // no end
			}
			span := &bt.TimestampRange{StartTimestampMicros: min, EndTimestampMicros: max}
			rest = append(rest, &bt.RowFilter{Filter: &bt.RowFilter_TimestampRangeFilter{TimestampRangeFilter: span}})
		case "store-offset", "store-limit":
			return nil, unsupported("no count of cells by family")
		default:
			tests = append(tests, option)
		}
	}
	var page []*bt.RowFilter
	valued := false
	for i, option := range tests {
		name, given, _ := strings.Cut(option, "=")
		last := i == len(tests)-1
		switch {
		case (name == "prefix" || name == "range") && i == 0 && len(chosen) == 0:
			from, to, _ := strings.Cut(given, "..")
			column := named(from)
			span := &bt.ColumnRange{FamilyName: column.family}
			if len(column.qualifier) > 0 {
				span.StartQualifier = &bt.ColumnRange_StartQualifierClosed{StartQualifierClosed: column.qualifier}
			}
			end := successor(column.qualifier)
			if name == "range" {
				end = bytes(to)
			}
			if len(end) > 0 {
				span.EndQualifier = &bt.ColumnRange_EndQualifierOpen{EndQualifierOpen: end}
			}
			spanned = append(spanned, text([]byte(column.family)))
			chosen = append(chosen, &bt.RowFilter{Filter: &bt.RowFilter_ColumnRangeFilter{ColumnRangeFilter: span}})
		case name == "value" && !valued:
			op, v, _ := strings.Cut(given, ":")
			rest = append(rest, value(op, bytes(v)))
			valued = true
		case strings.HasPrefix(name, "where") && i == 0:
			parts := strings.Split(given, ":")
			on, op, v := named(parts[0]+":"+parts[1]), parts[2], bytes(parts[3])
			around = func(filter *bt.RowFilter) *bt.RowFilter {
				switch name {
				case "where":
					return condition(chain(one(on), perColumn(1), value(negated[op], v)), nil, filter)
				case "where-present":
					return condition(chain(one(on), perColumn(1), value(op, v)), filter, nil)
				}
				return condition(chain(one(on), value(op, v)), filter, condition(one(on), nil, filter))
			}
		case name == "first-key-only" && last:
			page = append(page, perRow(1))
		case name == "page" && last:
			offset, limit, _ := strings.Cut(given, ",")
			if n := number(offset); n != 0 {
				page = append(page, &bt.RowFilter{Filter: &bt.RowFilter_CellsPerRowOffsetFilter{CellsPerRowOffsetFilter: int32(n)}})
			}
			page = append(page, perRow(int32(number(limit))))
		default:
			return nil, unsupported("filters in this order")
		}
	}
	for _, name := range families {
		if !slices.Contains(spanned, name) {
			pattern := &bt.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: regexp.QuoteMeta(string(bytes(name)))}
			chosen = append(chosen, &bt.RowFilter{Filter: pattern})
		}
	}
	all := rest
	if len(chosen) == 1 {
		all = append(chosen, rest...)
	} else if len(chosen) > 1 {
		all = append([]*bt.RowFilter{interleave(chosen...)}, rest...)
	}
	all = append(append(all, perColumn(versions)), page...)
	return around(chain(all...)), nil
}

var negated = map[string]string{"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

func chain(filters ...*bt.RowFilter) *bt.RowFilter {
	if len(filters) == 1 {
		return filters[0]
	}
	return &bt.RowFilter{Filter: &bt.RowFilter_Chain_{Chain: &bt.RowFilter_Chain{Filters: filters}}}
}

func interleave(filters ...*bt.RowFilter) *bt.RowFilter {
	return &bt.RowFilter{Filter: &bt.RowFilter_Interleave_{Interleave: &bt.RowFilter_Interleave{Filters: filters}}}
}

func condition(predicate, yes, no *bt.RowFilter) *bt.RowFilter {
	condition := &bt.RowFilter_Condition{PredicateFilter: predicate, TrueFilter: yes, FalseFilter: no}
	return &bt.RowFilter{Filter: &bt.RowFilter_Condition_{Condition: condition}}
}

func perColumn(n int32) *bt.RowFilter {
	return &bt.RowFilter{Filter: &bt.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: n}}
}

func perRow(n int32) *bt.RowFilter {
	return &bt.RowFilter{Filter: &bt.RowFilter_CellsPerRowLimitFilter{CellsPerRowLimitFilter: n}}
}

func one(c column) *bt.RowFilter {
	span := &bt.ColumnRange{
		FamilyName:     c.family,
		StartQualifier: &bt.ColumnRange_StartQualifierClosed{StartQualifierClosed: c.qualifier},
		EndQualifier:   &bt.ColumnRange_EndQualifierClosed{EndQualifierClosed: c.qualifier},
	}
	return &bt.RowFilter{Filter: &bt.RowFilter_ColumnRangeFilter{ColumnRangeFilter: span}}
}

// The cell stands to the left of the operator.
func value(op string, v []byte) *bt.RowFilter {
	span := &bt.ValueRange{}
	switch op {
	case "=":
		span.StartValue, span.EndValue = &bt.ValueRange_StartValueClosed{StartValueClosed: v}, &bt.ValueRange_EndValueClosed{EndValueClosed: v}
	case "!=":
		return interleave(value("<", v), value(">", v))
	case "<":
		span.EndValue = &bt.ValueRange_EndValueOpen{EndValueOpen: v}
	case "<=":
		span.EndValue = &bt.ValueRange_EndValueClosed{EndValueClosed: v}
	case ">":
		span.StartValue = &bt.ValueRange_StartValueOpen{StartValueOpen: v}
	case ">=":
		span.StartValue = &bt.ValueRange_StartValueClosed{StartValueClosed: v}
	default:
		panic("no operator " + op)
	}
	return &bt.RowFilter{Filter: &bt.RowFilter_ValueRangeFilter{ValueRangeFilter: span}}
}

// The first bytes after all that begin so; none if there are none.
func successor(prefix []byte) []byte {
	end := slices.Clone(prefix)
	for len(end) > 0 {
		if end[len(end)-1]++; end[len(end)-1] != 0 {
			return end
		}
		end = end[:len(end)-1]
	}
	return nil
}

// Words.

func (r *recorder) now() int64 {
	if r.frozen != 0 {
		return r.frozen + r.ahead
	}
	return time.Now().UnixMilli()*1000 + r.ahead
}

// In microseconds.
func (r *recorder) time(word string) (int64, error) {
	if offset, relative := strings.CutPrefix(word, "now"); relative {
		return r.begin + number(offset)*1000, nil
	}
	if micros, fine := strings.CutSuffix(word, "us"); fine {
		return number(micros), nil
	}
	millis := number(word)
	if millis > math.MaxInt64/1000 || millis < math.MinInt64/1000 {
		return 0, unsupported("a timestamp that does not fit in microseconds")
	}
	return millis * 1000, nil
}

func (r *recorder) stamp(at int64) string {
	if word, given := r.given[at]; given {
		return word
	}
	if r.begin <= at && at <= time.Now().UnixMicro() {
		return "server"
	}
	if r.most != 0 && r.begin+r.most <= at && at <= time.Now().UnixMicro()+r.most {
		return "clock"
	}
	if at%1000 != 0 {
		return fmt.Sprintf("%dus", at)
	}
	if off := (at - r.begin) / 1000; -1e12 < off && off < 1e12 {
		return fmt.Sprintf("now%+d", off)
	}
	return fmt.Sprint(at / 1000)
}

func named(word string) column {
	family, qualifier, found := strings.Cut(word, ":")
	if !found {
		panic(word + " is no column")
	}
	return column{string(bytes(family)), bytes(qualifier)}
}

func bytes(word string) []byte {
	if word == "''" {
		return []byte{}
	}
	if unit, times, found := strings.Cut(word, "*"); found {
		return []byte(strings.Repeat(string(bytes(unit)), int(number(times))))
	}
	var out []byte
	for i := 0; i < len(word); i++ {
		if word[i] != '%' {
			out = append(out, word[i])
			continue
		}
		byte, err := strconv.ParseUint(word[i+1:i+3], 16, 8)
		must(err)
		out = append(out, uint8(byte))
		i += 2
	}
	return out
}

func text(bytes []byte) string {
	if len(bytes) == 0 {
		return "''"
	}
	same := !slices.ContainsFunc(bytes, func(b byte) bool { return b != bytes[0] })
	if len(bytes) > 64 && same {
		return fmt.Sprintf("%s*%d", text(bytes[:1]), len(bytes))
	}
	var out strings.Builder
	for _, b := range bytes {
		if b < 0x80 && (b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("_.-", b) >= 0) {
			out.WriteByte(b)
		} else {
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

func number(word string) int64 {
	n, err := strconv.ParseInt(word, 10, 64)
	must(err)
	return n
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
