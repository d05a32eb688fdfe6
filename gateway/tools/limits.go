package tools

import "proofmark/gateway/core"

// Bounds of what results repeat from the page; counts unless a unit is named.
const (
	maxArgumentBytes   = 2 << 20
	maxTagBytes        = 320 // of a start tag's source
	maxAttributes      = 16
	maxAttrValueBytes  = 160
	maxAttrBytes       = 1 << 10  // of all attributes of one element
	maxRunBytes        = 4 << 10  // of one text run
	maxTargetRunBytes  = 6 << 10  // of the text runs of one target
	maxResultBytes     = 16 << 10 // of the page, in one result of document_inspect or document_locate; then only briefly
	shortRunBytes      = 120      // of a text run or a start tag, briefly
	shortRunes         = 40       // of a quote, briefly
	maxRunsPerTarget   = 16
	maxHeadings        = 12
	maxHeadingRunes    = 60
	maxCandidates      = 10
	maxFindResults     = 12
	findContextBytes   = 120
	aroundBytes        = core.ReadPageBytes / 2
	maxQueryBytes      = 1 << 10
	maxAlso            = 32
	defaultNodes       = 24
	maxTypedRunes      = 16_384
	maxWhereSteps      = 6
	defaultGrantShare  = core.MaxGrantsPerTurn * 3 / 4 // of the grants inspect may take at once
	maxStructureDepth  = 64
	maxFaultsReported  = 20
	maxStructureLabels = 120 // bytes of an element's label in the outline
)
