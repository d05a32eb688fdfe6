package core

import (
	"errors"
	"fmt"
)

// Error is the one error type that crosses package borders. Code comes from
// the closed list in codes.go; Message is a sentence a person can read; Hint
// says what to do next.
type Error struct {
	Code    Code
	Op      string // the operation that refused, such as "htmlsrc.Parse"
	Message string
	Hint    string
	Detail  map[string]any // machine-readable facts: offsets, counts, candidates
	Err     error          // the cause, never shown to a person
}

// Error gives the message, and behind it the cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error; the message may name values but never page text at length.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes an Error with a cause.
func Wrap(code Code, err error, format string, args ...any) *Error {
	e := Errorf(code, format, args...)
	e.Err = err
	return e
}

// WithHint adds what to do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// With adds one machine-readable fact.
func (e *Error) With(key string, value any) *Error {
	if e.Detail == nil {
		e.Detail = map[string]any{}
	}
	e.Detail[key] = value
	return e
}

// In names the operation.
func (e *Error) In(op string) *Error {
	e.Op = op
	return e
}

// CodeOf gives the code of the first Error in err's chain, Internal for any
// other error, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// AsError gives the Error in err's chain, or wraps an unknown error as
// Internal with a fixed text.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Internal, Message: "something went wrong inside Proofmark", Err: err}
}
