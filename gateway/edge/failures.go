package edge

import "golang.org/x/time/rate"

// Failed credentials a second, and how many may come at once. Valid requests
// are never counted: a program that fails on purpose can keep nobody out.
const (
	failuresPerSecond = 5
	failuresAtOnce    = 40
)

// Codes that a person types are few, and short enough to be guessed at: these many
// are looked at a second, right or wrong, and so many at once. Whoever guesses on
// purpose keeps a browser out while they do; everybody who has a token stays in.
const (
	codesPerSecond = 5
	codesAtOnce    = 10
)

type failures struct{ limit *rate.Limiter }

func newFailures() *failures {
	return &failures{rate.NewLimiter(failuresPerSecond, failuresAtOnce)}
}

// tooMany counts a failure, and tells whether there were too many lately.
func (f *failures) tooMany() bool { return !f.limit.Allow() }
