package htmlsrc

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"proofmark/bridge/oracle"
)

// others are names with capitals in SVG and MathML that the standard's lists
// do not have.
const (
	otherElements = `solidColor hatchPath meshGradient meshPatch meshRow fontFace colorProfile missingGlyph
		animateXform flowRoot flowPara tbreak definitionSrc viewBox`
	otherAttributes = `contentScriptType contentStyleType externalResourcesRequired filterRes crossOrigin hrefLang
		definitionURL accentHeight alignmentBaseline clipRule colorInterpolation onClick tabIndex xlinkHref autoReverse
		requiredFonts requiredFormats systemRequired timelineBegin syncBehavior focusable transformOrigin`
)

// TestSVGNames asks Chromium about the capitals of all SVG names (H38).
func TestSVGNames(t *testing.T) {
	b := oracle.Open(t)
	var src strings.Builder
	src.WriteString("<svg>")
	for _, n := range slices.Concat(slices.Sorted(maps.Keys(svgNames)), strings.Fields(strings.ToLower(otherElements))) {
		fmt.Fprintf(&src, "<g><%s></%[1]s></g>", n)
	}
	for _, n := range slices.Concat(slices.Sorted(maps.Keys(svgAttrNames)), strings.Fields(strings.ToLower(otherAttributes))) {
		fmt.Fprintf(&src, "<g %s=1 /><svg %[1]s=1 /><math %[1]s=1 /><p %[1]s=1></p><svg/><svg>", n)
	}
	tree := parse(t, src.String(), Options{})
	docs, err := b.Parse([][]byte{tree.src})
	if err != nil {
		t.Fatal(err)
	}
	if d := flat(tree).Diff(docs[0], false); d != "" {
		t.Error(d)
	}
	compareAttrs(t, "SVG names", tree, docs[0])
}
