package httpapi

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/edge"
)

// Log writes what was asked and what became of it: routes, statuses, scopes,
// counts and times. No address, query, header, body or text of an error goes in,
// so that no token, path or content can.
type Log struct{ to *slog.Logger }

// NewLog makes a Log; nil writes nowhere.
func NewLog(to *slog.Logger) *Log {
	if to == nil {
		to = slog.New(slog.DiscardHandler)
	}
	return &Log{to}
}

func (l *Log) request(r *http.Request, rt route, status int, bytes int64, took time.Duration, err error) {
	caller := edge.CallerOf(r.Context())
	level := slog.LevelInfo
	if status >= 500 {
		level = slog.LevelError
	}
	l.to.LogAttrs(context.Background(), level, "request",
		slog.String("method", method(r.Method)), slog.String("route", rt.pattern), slog.Int("status", status), slog.Int64("bytes", bytes),
		slog.Int64("ms", took.Milliseconds()), slog.String("scope", string(caller.Scope)), slog.String("token", caller.ID), slog.String("code", string(core.CodeOf(err))))
}

// refused tells of a request the edge did not let in.
func (l *Log) refused(r *http.Request, err *core.Error) {
	l.to.LogAttrs(context.Background(), slog.LevelWarn, "refused", slog.String("method", method(r.Method)), slog.String("code", string(err.Code)))
}

func (l *Log) panicked(rt route, p any, stack []byte) {
	l.to.LogAttrs(context.Background(), slog.LevelError, "panic", slog.String("route", rt.pattern), slog.String("type", fmt.Sprintf("%T", p)), slog.String("stack", string(stack)))
}

// stdlib is where the HTTP server itself complains. Its texts quote what came in.
func (l *Log) stdlib() *log.Logger { return log.New(counted{l}, "", 0) }

type counted struct{ l *Log }

func (c counted) Write(b []byte) (int, error) {
	c.l.to.LogAttrs(context.Background(), slog.LevelDebug, "connection refused", slog.Int("bytes", len(b)))
	return len(b), nil
}

// method gives a method's name, so that nothing a stranger chose is written.
func method(name string) string {
	switch name {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return name
	}
	return "other"
}
