package keys

import (
	"context"
	"io"
	"os"

	"proofmark/gateway/core"
)

// Read gives what stands on a stream, for a key that is piped in: up to a
// little more than a key can be, so that Store sees one that is too long.
func Read(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, 2*maxKeyBytes))
	if err != nil {
		return "", core.Wrap(core.Usage, err, "the key could not be read")
	}
	return string(b), nil
}

// ReadHidden reads one line from a terminal without showing it. The terminal
// shows what is typed again when ReadHidden returns, also after a cancel.
func ReadHidden(ctx context.Context, terminal *os.File) (string, error) {
	show, err := hide(terminal)
	if err != nil {
		return "", core.Wrap(core.Usage, err, "this terminal cannot hide what is typed").
			WithHint("pipe the key in instead")
	}
	defer show()
	type line struct {
		text string
		err  error
	}
	done := make(chan line, 1)
	go func() { // a read of a terminal cannot be cancelled; it ends with the program
		text, err := readLine(terminal)
		done <- line{text, err}
	}()
	select {
	case l := <-done:
		if l.err != nil {
			return "", core.Wrap(core.Usage, l.err, "the key could not be read")
		}
		return l.text, nil
	case <-ctx.Done():
		return "", core.Wrap(core.Cancelled, ctx.Err(), "stopped before a key was given; nothing was stored")
	}
}

// readLine reads to the end of a line and nothing behind it.
func readLine(r io.Reader) (string, error) {
	var line []byte
	one := make([]byte, 1)
	for len(line) < 2*maxKeyBytes {
		n, err := r.Read(one)
		if n == 1 && one[0] == '\n' || err == io.EOF { //nolint:errorlint // a Reader gives io.EOF itself
			break
		}
		if err != nil {
			return "", err
		}
		line = append(line, one[:n]...)
	}
	return string(line), nil
}
