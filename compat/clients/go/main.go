// Calls of an application through gohbase, printed line by line. The output must be equal on klip and on HBase.
//
//	gohbase HOST:PORT                    of the ZooKeeper
//	gohbase HOST:PORT create TABLE       creates a table for clients that cannot
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/filter"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
)

var ctx context.Context
var table = "compat_go"

type columns = map[string]map[string][]byte

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// The exception's class, without the server's stack trace.
func report(what string, err error) {
	if err == nil {
		fmt.Println(what, "ok")
		return
	}
	words := strings.FieldsFunc(err.Error(), func(r rune) bool { return strings.ContainsRune(" :\n\t\"", r) })
	for _, word := range words {
		if strings.Contains(word, "org.apache.hadoop") || strings.Contains(word, "java.") {
			fmt.Println(what, word)
			return
		}
	}
	fmt.Println(what, "failed:", err)
}

func show(result *hrpc.Result) {
	if result == nil || len(result.Cells) == 0 {
		fmt.Println("  (none)")
		return
	}
	for _, c := range result.Cells {
		at := ""
		if c.Timestamp != nil && *c.Timestamp < 1000000 {
			at = fmt.Sprintf("@%d", *c.Timestamp)
		}
		fmt.Printf("  %q %s:%q%s=%q\n", c.Row, c.Family, c.Qualifier, at, c.Value)
	}
}

func put(client gohbase.Client, row string, at uint64, values columns) {
	report("put "+row, second(client.Put(must(hrpc.NewPutStr(ctx, table, row, values, hrpc.TimestampUint64(at))))))
}

func second[T any](_ T, err error) error { return err }

func get(client gohbase.Client, row string, options ...func(hrpc.Call) error) {
	fmt.Printf("get %s\n", row)
	result, err := client.Get(must(hrpc.NewGetStr(ctx, table, row, options...)))
	if err != nil {
		report("get "+row, err)
		return
	}
	show(result)
}

func scan(client gohbase.Client, what, from, to string, options ...func(hrpc.Call) error) {
	fmt.Println("scan", what)
	scanner := client.Scan(must(hrpc.NewScanRangeStr(ctx, table, from, to, options...)))
	for {
		result, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			report("scan "+what, err)
			return
		}
		show(result)
	}
}

func tables(admin gohbase.AdminClient) {
	names := must(admin.ListTableNames(must(hrpc.NewListTableNames(ctx, hrpc.ListRegex("compat_.*")))))
	for _, name := range names {
		fmt.Printf("  %s:%s\n", name.GetNamespace(), name.GetQualifier())
	}
}

func create(admin gohbase.AdminClient) {
	families := map[string]map[string]string{"f": {"VERSIONS": "3"}, "g": {}}
	split := hrpc.SplitKeys([][]byte{[]byte("h"), []byte("p")})
	report("create", admin.CreateTable(hrpc.NewCreateTable(ctx, []byte(table), families, split)))
}

func administer(admin gohbase.AdminClient) {
	create(admin)
	families := map[string]map[string]string{"f": {}}
	report("create again", admin.CreateTable(hrpc.NewCreateTable(ctx, []byte(table), families)))
	tables(admin)
	report("disable", admin.DisableTable(hrpc.NewDisableTable(ctx, []byte(table))))
	report("disable again", admin.DisableTable(hrpc.NewDisableTable(ctx, []byte(table))))
	report("enable", admin.EnableTable(hrpc.NewEnableTable(ctx, []byte(table))))
	report("delete enabled", admin.DeleteTable(hrpc.NewDeleteTable(ctx, []byte(table))))
	status := must(admin.ClusterStatus())
	fmt.Println("servers", len(status.GetLiveServers()), "balancer",
		must(admin.SetBalancer(must(hrpc.NewSetBalancer(ctx, true)))))
}

func write(client gohbase.Client) {
	for i, row := range []string{"alice", "bob", "harry", "mary", "peter", "zoe"} {
		put(client, row, uint64(10+i), columns{"f": {"q": []byte("v" + row), "n": {0, 0, 0, byte(i)}}, "g": {"": []byte{0xff, 0}}})
	}
	for at := uint64(20); at < 25; at++ {
		put(client, "bob", at, columns{"f": {"q": []byte(fmt.Sprint("bob", at))}})
	}
	report("no such family",
		second(client.Put(must(hrpc.NewPutStr(ctx, table, "x", columns{"nope": {"q": []byte("v")}})))))
	var batch []hrpc.Call
	for i := 0; i < 500; i++ {
		batch = append(batch, must(hrpc.NewPutStr(ctx, table, fmt.Sprintf("row%04d", i),
			columns{"f": {"q": bytes.Repeat([]byte{byte('a' + i%26)}, i%50)}}, hrpc.TimestampUint64(5))))
	}
	_, ok := client.SendBatch(ctx, batch)
	fmt.Println("batch", ok)
}

func read(client gohbase.Client) {
	get(client, "alice")
	get(client, "nobody")
	get(client, "bob", hrpc.MaxVersions(10))
	get(client, "bob", hrpc.MaxVersions(10), hrpc.TimeRangeUint64(21, 23))
	get(client, "bob", hrpc.Families(map[string][]string{"g": nil}))
	get(client, "bob", hrpc.Families(map[string][]string{"f": {"n"}, "g": {""}}))
	get(client, "bob", hrpc.Families(map[string][]string{"nope": nil}))
	get(client, "zoe", hrpc.MaxResultsPerColumnFamily(1))

	scan(client, "range over regions", "bob", "peter")
	scan(client, "reversed", "peter", "b", hrpc.Reversed())
	scan(client, "limit", "", "", hrpc.NumberOfRows(2), hrpc.Families(map[string][]string{"g": nil}))
	rows, size := 0, 0
	scanner := client.Scan(must(hrpc.NewScanRangeStr(ctx, table, "row", "rox", hrpc.NumberOfRows(7))))
	for {
		result, err := scanner.Next()
		if err != nil {
			break
		}
		rows++
		size += len(result.Cells[0].Value)
	}
	fmt.Println("rows", rows, "bytes", size)
}

func binary(value string) filter.Comparator {
	return filter.NewBinaryComparator(filter.NewByteArrayComparable([]byte(value)))
}

func filtered(client gohbase.Client) {
	any := func(first, mask string) *filter.BytesBytesPair {
		return filter.NewBytesBytesPair([]byte(first), []byte(mask))
	}
	compare := filter.NewCompareFilter
	page := filter.NewPageFilter(2)
	for _, one := range []struct {
		name   string
		filter filter.Filter
	}{
		{"prefix", filter.NewPrefixFilter([]byte("row000"))},
		{"fuzzy", filter.NewFuzzyRowFilter([]*filter.BytesBytesPair{any("row\x00\x002\x00", "\x00\x00\x00\x01\x01\x00\x01")})},
		{"page", page},
		{"inclusive stop", filter.NewInclusiveStopFilter([]byte("harry"))},
		{"row", filter.NewRowFilter(compare(filter.Equal, filter.NewSubstringComparator("AR")))},
		{"value", filter.NewValueFilter(compare(filter.GreaterOrEqual, binary("vm")))},
		{"single column", filter.NewSingleColumnValueFilter([]byte("f"), []byte("q"), filter.Equal, binary("vmary"), true, true)},
		{"qualifier", filter.NewQualifierFilter(compare(filter.Less, binary("q")))},
		{"family", filter.NewFamilyFilter(compare(filter.NotEqual, binary("f")))},
		{"regex", filter.NewRowFilter(compare(filter.Equal, filter.NewRegexStringComparator("^.o", 32, "UTF-8", "JAVA")))},
		{"column prefix", filter.NewColumnPrefixFilter([]byte("q"))},
		{"column range", filter.NewColumnRangeFilter([]byte("a"), []byte("o"), true, true)},
		{"timestamps", filter.NewTimestampsFilter([]int64{11, 13, 24})},
		{"first key", filter.NewFirstKeyOnlyFilter()},
		{"key only", filter.NewKeyOnlyFilter(true)},
		{"ranges", filter.NewMultiRowRangeFilter([]*filter.RowRange{
			filter.NewRowRange([]byte("a"), []byte("c"), true, false),
			filter.NewRowRange([]byte("mary"), []byte("peter"), false, true)})},
		{"all of", filter.NewList(filter.MustPassAll, filter.NewPrefixFilter([]byte("row00")), page)},
		{"one of", filter.NewList(filter.MustPassOne, filter.NewPrefixFilter([]byte("al")), filter.NewPrefixFilter([]byte("z")))},
		{"skip", filter.NewSkipFilter(filter.NewValueFilter(compare(filter.NotEqual, binary("vmary"))))},
		{"while", filter.NewWhileMatchFilter(filter.NewRowFilter(compare(filter.Less, binary("c"))))},
	} {
		stop := "rou"
		if strings.HasPrefix(one.name, "prefix") || one.name == "fuzzy" || one.name == "all of" {
			stop = ""
		}
		scan(client, one.name, "", stop, hrpc.Filters(one.filter))
	}
}

func change(client gohbase.Client) {
	fmt.Println("increment", must(client.Increment(must(hrpc.NewIncStrSingle(ctx, table, "counter", "f", "n", 5)))))
	fmt.Println("increment", must(client.Increment(must(hrpc.NewIncStrSingle(ctx, table, "counter", "f", "n", -7)))))
	report("increment of text", second(client.Increment(must(hrpc.NewIncStrSingle(ctx, table, "mary", "f", "q", 1)))))
	for i := 0; i < 2; i++ {
		result := must(client.Append(must(hrpc.NewAppStr(ctx, table, "log", columns{"f": {"q": []byte("ab")}}))))
		fmt.Printf("append %q\n", result.Cells[0].Value)
	}
	check := func(what, expected string) {
		p := must(hrpc.NewPutStr(ctx, table, "mary", columns{"f": {"q": []byte("checked " + what)}}, hrpc.TimestampUint64(100)))
		var want []byte
		if expected != "" {
			want = []byte(expected)
		}
		fmt.Println("check and put", what, must(client.CheckAndPut(p, "f", "q", want)))
	}
	check("wrong", "other")
	check("missing", "")
	check("right", "vmary")
	greater := must(hrpc.NewPutStr(ctx, table, "mary", columns{"f": {"q": []byte("z")}}, hrpc.TimestampUint64(101)))
	fmt.Println("check less", must(client.CheckAndPutWithCompareType(greater, "f", "q", []byte("d"), pb.CompareType_LESS)))
	fmt.Println("check greater",
		must(client.CheckAndPutWithCompareType(greater, "f", "q", []byte("d"), pb.CompareType_GREATER)))
	byFilter := must(hrpc.NewPutStr(ctx, table, "mary", columns{"g": {"x": []byte("1")}}, hrpc.TimestampUint64(101)))
	cam := must(hrpc.NewCheckAndMutateWithFilter(byFilter, filter.NewValueFilter(filter.NewCompareFilter(filter.Equal, binary("z")))))
	fmt.Println("check by filter", must(client.CheckAndMutate(cam)))
	get(client, "mary")

	remove := func(what, row string, values columns, options ...func(hrpc.Call) error) {
		report("delete "+what, second(client.Delete(must(hrpc.NewDelStr(ctx, table, row, values, options...)))))
		get(client, row, hrpc.MaxVersions(10))
	}
	remove("one version", "bob", columns{"f": {"q": nil}}, hrpc.DeleteOneVersion())
	remove("version", "bob", columns{"f": {"q": nil}}, hrpc.TimestampUint64(22), hrpc.DeleteOneVersion())
	remove("column", "bob", columns{"f": {"q": nil}})
	remove("family", "harry", columns{"f": nil})
	remove("row", "peter", nil)
}

func snapshots(admin gohbase.AdminClient) {
	snapshot := must(hrpc.NewSnapshot(ctx, "compat_go_1", table))
	report("snapshot", admin.CreateSnapshot(snapshot))
	names := []string{}
	for _, one := range must(admin.ListSnapshots(hrpc.NewListSnapshots(ctx))) {
		names = append(names, one.GetName()+" of "+one.GetTable())
	}
	sort.Strings(names)
	fmt.Println(names)
	report("restore of enabled", admin.RestoreSnapshot(snapshot))
	report("delete snapshot", admin.DeleteSnapshot(snapshot))
	report("disable", admin.DisableTable(hrpc.NewDisableTable(ctx, []byte(table))))
	report("delete", admin.DeleteTable(hrpc.NewDeleteTable(ctx, []byte(table))))
	report("delete again", admin.DeleteTable(hrpc.NewDeleteTable(ctx, []byte(table))))
	tables(admin)
}

func main() {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	var cancel context.CancelFunc
	ctx, cancel = context.WithTimeout(context.Background(), 100*time.Second)
	defer cancel()
	admin := gohbase.NewAdminClient(os.Args[1], gohbase.Logger(quiet))
	client := gohbase.NewClient(os.Args[1], gohbase.Logger(quiet))
	defer client.Close()
	if len(os.Args) == 4 {
		table = os.Args[3]
		create(admin)
		return
	}
	for _, part := range []struct {
		name string
		run  func()
	}{
		{"tables", func() { administer(admin) }},
		{"write", func() { write(client) }},
		{"read", func() { read(client) }},
		{"filters", func() { filtered(client) }},
		{"change", func() { change(client) }},
		{"snapshots", func() { snapshots(admin) }},
	} {
		fmt.Println("==", part.name)
		part.run()
	}
}
