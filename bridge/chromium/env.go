package chromium

import (
	"runtime"
	"strings"
)

// allowedEnv are the variables the browser needs to run at all: where things
// are, the language, the display. Keys, tokens and proxies of the person's
// shell are none of its business.
var allowedEnv = map[string]bool{
	"PATH": true, "HOME": true, "USER": true, "LOGNAME": true, "SHELL": true, "TMPDIR": true, "TZ": true,
	"LANG": true, "LANGUAGE": true, "LD_LIBRARY_PATH": true,
	"DISPLAY": true, "WAYLAND_DISPLAY": true, "XAUTHORITY": true, "XDG_RUNTIME_DIR": true, "XDG_SESSION_TYPE": true,
	"FONTCONFIG_PATH": true, "FONTCONFIG_FILE": true, "XDG_DATA_DIRS": true,
	// Windows
	"SYSTEMROOT": true, "SYSTEMDRIVE": true, "WINDIR": true, "TEMP": true, "TMP": true, "USERPROFILE": true,
	"LOCALAPPDATA": true, "APPDATA": true, "PROGRAMFILES": true, "PROGRAMFILES(X86)": true, "PROGRAMDATA": true,
	"COMSPEC": true, "PATHEXT": true, "NUMBER_OF_PROCESSORS": true, "PROCESSOR_ARCHITECTURE": true,
}

// Environment keeps of environ only what a browser needs.
func Environment(environ []string) []string {
	var out []string
	for _, kv := range environ {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			continue
		}
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		if allowedEnv[name] || strings.HasPrefix(name, "LC_") {
			out = append(out, kv)
		}
	}
	return out
}

// maxTempDir bounds a temporary directory in which the browser can still make
// its socket "org.chromium.Chromium.XXXXXX/SingletonSocket": the path of a
// socket has room for 104 bytes with its end, or a few more.
const maxTempDir = 104 - len("/org.chromium.Chromium.XXXXXX/SingletonSocket") - 1

// tempEnv names the browser's temporary directory. The last of two values of
// one name counts.
func tempEnv(dir string) []string {
	if runtime.GOOS == "windows" {
		return []string{"TEMP=" + dir, "TMP=" + dir}
	}
	return []string{"TMPDIR=" + dir}
}
