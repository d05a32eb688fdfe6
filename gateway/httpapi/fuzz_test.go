package httpapi

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// P19: whatever a file is called, its name is one value of one header, and reads
// back as it was.
func FuzzEscapeName(f *testing.F) {
	for _, s := range []string{"page.html", "a b.html", "ü€.html", "a\r\nSet-Cookie: x", `a";filename=b`, "\xff\x00%41", ""} {
		f.Add(s)
	}
	plain := regexp.MustCompile(`^[A-Za-z0-9._%-]*$`)
	f.Fuzz(func(t *testing.T, s string) {
		e := escapeName(s)
		if back, err := url.PathUnescape(e); err != nil || back != s || !plain.MatchString(e) {
			t.Fatalf("%q is %q, and that is %q (%v)", s, e, back, err)
		}
	})
}

// Whatever is sent as an event comes out of the stream as that one event.
func FuzzEvent(f *testing.F) {
	f.Add(int64(7), `{"a":"b"}`)
	f.Add(int64(0), "a\n\nid: 9\nevent: end\ndata: x")
	f.Add(int64(1), "")
	f.Fuzz(func(t *testing.T, id int64, data string) {
		if strings.Contains(data, "\r") {
			t.Skip() // JSON has none
		}
		rec := httptest.NewRecorder()
		e := &events{w: rec, rc: http.NewResponseController(rec), patience: time.Second}
		if err := e.send(id, "said", []byte(data)); err != nil {
			t.Fatal(err)
		}
		text, more := strings.CutSuffix(rec.Body.String(), "\n\n")
		if !more || strings.Contains(text, "\n\n") {
			t.Fatalf("not one event: %q", rec.Body)
		}
		var got []string
		var number int64
		for line := range strings.SplitSeq(text, "\n") {
			switch field, value, _ := strings.Cut(line, ": "); field {
			case "id":
				number, _ = strconv.ParseInt(value, 10, 64)
			case "event":
				if value != "said" {
					t.Fatalf("event %q", value)
				}
			case "data":
				got = append(got, value)
			default:
				t.Fatalf("line %q", line)
			}
		}
		if strings.Join(got, "\n") != data || number != max(id, 0) {
			t.Fatalf("%d %q, sent %d %q", number, got, id, data)
		}
	})
}

// A tag is known where it was given, and nowhere else.
func FuzzKnown(f *testing.F) {
	f.Add("abc", `"abc"`)
	f.Add("abc", `W/"abc", "d"`)
	f.Add("a", "*")
	f.Add("a", `a`)
	f.Fuzz(func(t *testing.T, tag, header string) {
		if known(tag, []string{header}) && !strings.Contains(header, tag) && !strings.Contains(header, "*") && strconv.Quote(tag) == `"`+tag+`"` {
			t.Fatalf("%q is known by %q", tag, header)
		}
		if q := strconv.Quote(tag); !strings.Contains(q, ",") && !known(tag, []string{header, "W/" + q}) {
			t.Fatalf("%q is not known by its own", tag)
		}
	})
}
