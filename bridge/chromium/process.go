package chromium

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"proofmark/gateway/core"
)

const (
	maxOutput = 16 << 10 // bytes of the browser's own messages kept for an error
	exitGrace = 2 * time.Second
)

// Process is one running Chromium with its two pipes and its profile.
type Process struct {
	r, w    *os.File // answers and events; commands
	cmd     *exec.Cmd
	profile *profile
	output  *tail
	exited  chan struct{}
	closing sync.Once
}

// Start starts the browser at path. Flags' Profile, NoSandbox and SmallShm are
// filled in here. The browser ends with this process, whatever ends it: its
// command pipe closes, and on Linux the kernel kills it as well.
func Start(path string, f Flags) (*Process, error) {
	prof, err := newProfile(profileRoot())
	if err != nil {
		return nil, failed(err, "a place for the browser's own files could not be made in the temporary directory").
			WithHint("Free some space there, or set TMPDIR to a directory that this account can write.")
	}
	f.Profile = prof.dir
	f.NoSandbox = os.Geteuid() == 0
	f.SmallShm = smallShm()
	p := &Process{profile: prof, output: &tail{}, exited: make(chan struct{})}
	if err := p.start(path, Args(f)); err != nil {
		prof.remove()
		return nil, failed(err, "%s could not be started", path)
	}
	return p, nil
}

func failed(err error, format string, args ...any) *core.Error {
	return core.Wrap(core.BrowserFailed, err, format, args...).
		WithHint("See that it starts by itself, or name another one: %s=/path/to/chrome.", EnvPath).In("chromium.Start")
}

func (p *Process) start(path string, args []string) error {
	childR, parentW, err := os.Pipe()
	if err != nil {
		return err
	}
	parentR, childW, err := os.Pipe()
	if err != nil {
		childR.Close()
		parentW.Close()
		return err
	}
	p.r, p.w = parentR, parentW
	p.cmd = exec.Command(path, args...)
	p.cmd.Env = append(Environment(os.Environ()), tempEnv(p.profile.temp)...)
	p.cmd.Dir = p.profile.dir
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	p.cmd.WaitDelay = exitGrace
	prepare(p.cmd, childR, childW)

	started := make(chan error, 1)
	go p.run(started)
	err = <-started
	childR.Close()
	childW.Close()
	if err != nil {
		parentR.Close()
		parentW.Close()
	}
	return err
}

// run starts the process and waits for it on one thread that lives as long: on
// Linux the parent-death signal comes when the starting thread ends, not when
// the whole program does.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		runtime.UnlockOSThread()
		return
	}
	_ = p.cmd.Wait() // how it ended is told by its output, if anything is
	killGroup(p.cmd.Process)
	close(p.exited)
	runtime.UnlockOSThread()
}

// Pipes gives the browser's answers and the way to send it commands. Who takes
// them closes them, or Close does.
func (p *Process) Pipes() (io.ReadCloser, io.WriteCloser) { return p.r, p.w }

// Exited is closed when the browser is gone.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Output gives the last words of the browser, for an error. Where its files lie
// is not told.
func (p *Process) Output() string {
	return strings.ReplaceAll(p.output.String(), p.profile.dir, "<profile>")
}

// Pid gives the process id, for tests and diagnostics.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Close ends the browser with all its helpers, waits for that, and removes the
// profile. It can be called again.
func (p *Process) Close() error {
	var err error
	p.closing.Do(func() {
		err = errors.Join(ignoreClosed(p.w.Close()), ignoreClosed(p.r.Close()))
		select {
		case <-p.exited: // its number may belong to somebody else by now
		default:
			killGroup(p.cmd.Process)
			<-p.exited
		}
		p.profile.remove()
	})
	return err
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// WaitExit waits for the browser's end, or for the context's.
func (p *Process) WaitExit(ctx context.Context) error {
	select {
	case <-p.exited:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tail keeps the last bytes written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - maxOutput; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
