package strictjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

type body struct {
	Name  string         `json:"name"`
	Count int            `json:"count"`
	List  []string       `json:"list"`
	Sub   map[string]any `json:"sub"`
}

// Attack 19: what is let in is exactly one value of the shape that was asked for.
func TestUnmarshal(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"a","count":2,"list":["x","y"],"sub":{"name":"b","x":[{"a":1},{"a":2}]}}`: "",
		" {\"name\":\"a\"}\n ":           "",
		`{"sub":{"a":{"a":{"a":1}}}}`:    "",
		``:                               "no JSON",
		`   `:                            "no JSON",
		`{`:                              "ends too early",
		`{"name":"a"`:                    "ends too early",
		`{"name":"a"}{}`:                 "behind the JSON",
		`{"name":"a"}x`:                  "behind the JSON",
		`{"name":"a","name":"b"}`:        "twice",
		`{"name":"a","NAME":"b"}`:        "twice",
		`{"name":"a","\u006eame":"b"}`:   "twice",
		`{"sub":{"a":1,"b":[],"a":2}}`:   "twice",
		`{"other":1}`:                    `no field "other"`,
		`{"count":"2"}`:                  "count must not be a string",
		`{"count":2.5}`:                  "count must not be a number",
		`{"count":1e400}`:                "count must not be a number",
		`{"count":99999999999999999999}`: "count must not be a number",
		`{"count":NaN}`:                  "no JSON at byte",
		`{"name":'a'}`:                   "no JSON at byte",
		`{"name":"a",}`:                  "no JSON at byte",
		`[]`:                             "not what is asked for",
		`"x"`:                            "not what is asked for",
		"{\"name\":\"\xff\"}":            "UTF-8",
		"\xef\xbb\xbf{}":                 "no JSON at byte",
		strings.Repeat("[", 100_000):     "deeper",
		`{"sub":` + strings.Repeat(`{"a":`, 100_000):                                              "deeper",
		`{"sub":{"a":` + strings.Repeat("[", MaxDepth-2) + strings.Repeat("]", MaxDepth-2) + `}}`: "",
		`{"sub":{"a":` + strings.Repeat("[", MaxDepth-1) + strings.Repeat("]", MaxDepth-1) + `}}`: "deeper",
	} {
		var b body
		err := Unmarshal([]byte(text), &b)
		if got := errText(err); (want == "") != (err == nil) || !strings.Contains(got, want) {
			t.Errorf("%.60q: %q, want %q", text, got, want)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// What is accepted is what Go's decoder makes of it.
func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"name":"a","sub":{"b":[1,null,true]}}`))
	f.Add([]byte(`[[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var strict, lax any
		if err := Unmarshal(text, &strict); err != nil {
			return
		}
		if err := json.Unmarshal(text, &lax); err != nil {
			t.Fatalf("%q is accepted: %v", text, err)
		}
		a, _ := json.Marshal(strict)
		b, _ := json.Marshal(lax)
		if !bytes.Equal(a, b) {
			t.Fatalf("%q: %s and %s", text, a, b)
		}
	})
}
