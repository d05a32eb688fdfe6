package htmlsrc

import "strings"

// svgNames are the SVG names that the parser gives back their capitals.
var svgNames = map[string]string{}

func init() {
	for _, s := range []string{
		"altGlyph", "altGlyphDef", "altGlyphItem", "animateColor", "animateMotion",
		"animateTransform", "clipPath", "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite",
		"feConvolveMatrix", "feDiffuseLighting", "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood",
		"feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feImage", "feMerge", "feMergeNode",
		"feMorphology", "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight", "feTile", "feTurbulence",
		"foreignObject", "glyphRef", "linearGradient", "radialGradient", "textPath",
	} {
		svgNames[strings.ToLower(s)] = s
	}
}
