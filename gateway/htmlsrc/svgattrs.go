package htmlsrc

import "strings"

// svgAttrNames are the SVG attribute names that the parser gives back their
// capitals.
var svgAttrNames = map[string]string{}

func init() {
	for _, s := range strings.Fields(`attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits
		diffuseConstant edgeMode filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength
		keyPoints keySplines keyTimes lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth
		maskContentUnits maskUnits numOctaves pathLength patternContentUnits patternTransform patternUnits
		pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits refX refY repeatCount
		repeatDur requiredExtensions requiredFeatures specularConstant specularExponent spreadMethod startOffset
		stdDeviation stitchTiles surfaceScale systemLanguage tableValues targetX targetY textLength viewBox
		viewTarget xChannelSelector yChannelSelector zoomAndPan`) {
		svgAttrNames[strings.ToLower(s)] = s
	}
}
