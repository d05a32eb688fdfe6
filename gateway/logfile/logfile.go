// Package logfile is the gateway's log: JSON lines in the data directory, for
// its owner alone, rotated, and with whatever looks like a secret taken out.
//
// Nobody is meant to hand it a secret. That it takes them out all the same is
// the second lock on that door.
package logfile

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"

	"gopkg.in/natefinch/lumberjack.v2"

	"proofmark/gateway/core"
)

// Where the log lies in the data directory, and how much of it is kept.
const (
	Dir      = "logs"
	FileName = "gateway.log"

	maxMegabytes = 5 // of one file, before it is rotated
	maxBackups   = 4
	maxDays      = 30
)

// secrets are the shapes of ours and of others: JSON web tokens, greetings,
// grants, provider keys, credentials in addresses and headers.
var secrets = regexp.MustCompile(`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*|(?i:bearer|basic|proofmark)\s+[A-Za-z0-9._~+/=-]{16,}|hrg_[A-Za-z0-9_-]{8,}|\bsk-[A-Za-z0-9_-]{8,}|://[^/\s:@]+:[^/\s@]+@|(?i:\bkey["']?\s*[=:]\s*["']?)[A-Za-z0-9_-]{32,}|(?i:(?:api[_-]?key|token|secret|password)["']?\s*[=:]\s*["']?)[^\s"'&,}]{6,}`)

const removed = "[removed]"

// Open opens the log of a data directory. close ends it.
func Open(dataDir string) (log *slog.Logger, close func() error, err error) {
	return open(dataDir, maxMegabytes)
}

func open(dataDir string, megabytes int) (log *slog.Logger, close func() error, err error) {
	dir := filepath.Join(dataDir, Dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, core.Wrap(core.PermissionDenied, err, "the folder of the log cannot be made").In("logfile.Open")
	}
	path := filepath.Join(dir, FileName)
	// Made here, so that it is ours alone from its first moment; what is rotated keeps the mode.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, core.Wrap(core.PermissionDenied, err, "the log cannot be written").In("logfile.Open")
	}
	err = errors.Join(os.Chmod(dir, 0o700), f.Chmod(0o600), f.Close()) // as they may have been there before
	if err != nil {
		return nil, nil, core.Wrap(core.PermissionDenied, err, "the log cannot be made this account's alone").In("logfile.Open")
	}
	w := &lumberjack.Logger{Filename: path, MaxSize: megabytes, MaxBackups: maxBackups, MaxAge: maxDays}
	return New(w), w.Close, nil
}

// New makes a log that writes to w.
func New(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Resolve(); v.Kind() {
		case slog.KindString:
			a.Value = slog.StringValue(Redact(v.String()))
		case slog.KindAny:
			switch v := v.Any().(type) {
			case nil, slog.Level:
			case error: // texts of errors quote what came in
				a.Value = slog.StringValue(string(core.CodeOf(v)))
			default: // nobody knows what is in it
				a.Value = slog.StringValue(fmt.Sprintf("[%T]", v))
			}
		}
		return a
	}}))
}

// Redact takes out of a text what looks like a secret.
func Redact(s string) string { return secrets.ReplaceAllString(s, removed) }
