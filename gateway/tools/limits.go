package tools

import "proofmark/gateway/core"

// Bounds of what results repeat from the page; counts unless a unit is named.
const (
	maxArgumentBytes   = 2 << 20
	maxTagBytes        = 512 // of a start tag's source
	maxAttributes      = 24
	maxAttrValueBytes  = 300
	maxRunBytes        = 4 << 10 // of one text run
	maxTargetRunBytes  = 12 << 10
	maxRunsPerTarget   = 16
	maxHeadings        = 30
	maxHeadingRunes    = 80
	maxCandidates      = 10
	maxFindResults     = 20
	findContextBytes   = 160
	maxQueryBytes      = 1 << 10
	maxAlso            = 32
	defaultNodes       = 60
	maxTypedRunes      = 16_384
	maxWhereSteps      = 6
	defaultGrantShare  = core.MaxGrantsPerTurn * 3 / 4 // of the grants inspect may take at once
	maxStructureDepth  = 64
	maxFaultsReported  = 20
	maxStructureLabels = 120 // bytes of an element's label in the outline
)
