package person

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// Hand is a mouse and a keyboard at a screen itself, below every program: what it
// does goes through the screen's own input, focus and stacking. It needs xdotool.
type Hand struct {
	t       testing.TB
	display string
}

// NewHand makes the hand at a screen.
func NewHand(t testing.TB, display string) *Hand { return &Hand{t: t, display: display} }

// HasHand tells whether there can be a Hand here.
func HasHand() bool {
	_, err := exec.LookPath("xdotool")
	return err == nil
}

func (h *Hand) xdotool(args ...string) {
	h.t.Helper()
	cmd := exec.Command("xdotool", args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+h.display)
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("xdotool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func at(x, y float64) []string { return []string{fmt.Sprintf("%.0f", x), fmt.Sprintf("%.0f", y)} }

// Move moves the mouse to a point of the screen, pixels.
func (h *Hand) Move(x, y float64) {
	h.t.Helper()
	h.xdotool(append([]string{"mousemove"}, at(x, y)...)...)
}

// Press moves there and presses the left button.
func (h *Hand) Press(x, y float64) {
	h.t.Helper()
	// The second move makes the first one seen before the button goes down.
	h.Move(x-1, y)
	h.xdotool(append(append([]string{"mousemove"}, at(x, y)...), "sleep", "0.06", "click", "1")...)
}

// Drag moves with the button down from one point to another.
func (h *Hand) Drag(x, y, toX, toY float64) {
	h.t.Helper()
	h.Move(x, y)
	h.xdotool("mousedown", "1")
	for i := 1.0; i <= 5; i++ {
		h.xdotool(append(append([]string{"mousemove"}, at(x+(toX-x)*i/5, y+(toY-y)*i/5)...), "sleep", "0.03")...)
	}
	h.xdotool("mouseup", "1")
}

// Key presses a key, as xdotool names it: "Escape", "ctrl+Return".
func (h *Hand) Key(name string) {
	h.t.Helper()
	h.xdotool("key", "--clearmodifiers", name)
}

// Hold presses a key without letting it go; Release lets it go.
func (h *Hand) Hold(name string)    { h.t.Helper(); h.xdotool("keydown", name) }
func (h *Hand) Release(name string) { h.t.Helper(); h.xdotool("keyup", name) }

// Type types a text.
func (h *Hand) Type(text string) {
	h.t.Helper()
	h.xdotool("type", "--delay", "8", text)
}

// Focus gives the keyboard to the window of a process, as a desktop does when a window
// opens: a screen without one gives it to nobody.
func (h *Hand) Focus(pid int) {
	h.t.Helper()
	h.xdotool("search", "--sync", "--onlyvisible", "--pid", strconv.Itoa(pid), "windowfocus")
}
