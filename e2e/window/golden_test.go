//go:build unix

package window

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"proofmark/bridge/person"
)

var update = flag.Bool("update", false, "write the golden pictures; look at each before it is committed")

const (
	block = 16 // pixels: a picture is compared by the means of its blocks, which hold against other fonts
	far   = 30 // of 255: a block that differs by more has changed
	few   = 40 // of all blocks, one in few may have changed
)

// golden compares the tab with the picture of that name, or writes it.
func golden(t testing.TB, p *person.Tab, name string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".png")
	var differs error
	for range 20 { // carets blink, and pictures come when they come
		got := p.Picture()
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v; go test ./e2e/window -args -update writes it", err)
			return
		}
		if differs = compare(want, got); differs == nil {
			return
		}
		if dir := os.Getenv("PROOFMARK_PICTURES"); dir != "" { // for whoever looks for the reason
			_ = os.WriteFile(filepath.Join(dir, name+".png"), got, 0o644)
		}
	}
	t.Errorf("%s: %v", name, differs)
}

// compare tells how two pictures differ to somebody who looks at them.
func compare(want, got []byte) error {
	a, err := png.Decode(bytes.NewReader(want))
	if err != nil {
		return err
	}
	b, err := png.Decode(bytes.NewReader(got))
	if err != nil {
		return err
	}
	if a.Bounds() != b.Bounds() {
		return fmt.Errorf("the picture is %v, not %v", b.Bounds().Max, a.Bounds().Max)
	}
	blocks, changed := 0, 0
	var first image.Point
	for y := a.Bounds().Min.Y; y+block <= a.Bounds().Max.Y; y += block {
		for x := a.Bounds().Min.X; x+block <= a.Bounds().Max.X; x += block {
			blocks++
			if d := mean(a, x, y) - mean(b, x, y); d > far || d < -far {
				if changed++; changed == 1 {
					first = image.Pt(x, y)
				}
			}
		}
	}
	if changed*few > blocks {
		return fmt.Errorf("%d of %d blocks differ, the first at %v", changed, blocks, first)
	}
	return nil
}

// mean gives a block's mean brightness, 0 to 255.
func mean(m image.Image, x, y int) int {
	sum := 0
	for j := range block {
		for i := range block {
			r, g, b, _ := m.At(x+i, y+j).RGBA()
			sum += int(r+g+b) / 3 >> 8
		}
	}
	return sum / (block * block)
}

// A golden picture that cannot fail proves nothing.
func TestCompare(t *testing.T) {
	pic := func(paint func(m *image.Gray)) []byte {
		m := image.NewGray(image.Rect(0, 0, 640, 480))
		for i := range m.Pix {
			m.Pix[i] = 240
		}
		paint(m)
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	plain := pic(func(*image.Gray) {})
	if err := compare(plain, plain); err != nil {
		t.Error(err)
	}
	letter := pic(func(m *image.Gray) {
		for i := range 40 {
			m.Pix[100*640+100+i] = 0
		}
	})
	if err := compare(plain, letter); err != nil {
		t.Errorf("another letter: %v", err)
	}
	panel := pic(func(m *image.Gray) {
		for y := range 200 {
			for x := range 100 {
				m.Pix[(y+100)*640+x+300] = 40
			}
		}
	})
	if compare(plain, panel) == nil {
		t.Error("a panel that came is not seen")
	}
}
