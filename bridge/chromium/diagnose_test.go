package chromium

import (
	"strings"
	"testing"
)

func TestDiagnose(t *testing.T) {
	for _, c := range []struct{ said, why, hint string }{
		{"[1:1:FATAL:zygote_host_impl_linux.cc] No usable sandbox! If this is a Debian system …", "its sandbox cannot work", "chromium-sandbox"},
		{"chrome: error while loading shared libraries: libnss3.so: cannot open shared object file", "a library is missing", "package manager"},
		{"FATAL:process_singleton_posix.cc(315)] Socket path too long: /x", "too long", "TMPDIR"},
		{"one\n\x1b[31mtwo\x00 \n\xff\n", `it said "[31mtwo"`, EnvPath},
		{"", "said nothing", EnvPath},
	} {
		why, hint := Diagnose(c.said)
		if !strings.Contains(why, c.why) || !strings.Contains(hint, c.hint) {
			t.Errorf("%q: %s; %s", c.said, why, hint)
		}
	}
}
