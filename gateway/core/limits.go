package core

import "time"

// Limits, each with its unit in the name or its type. Figures come from
// SPEC.md and REQUIREMENTS.md section 8; docs/decisions says where one was
// widened.
const (
	MaxSourceBytes        = 8 << 20
	MaxElements           = 500_000
	MaxInstructionBytes   = 16 << 10
	MaxAnnotationsPerSend = 16
	MaxTargetsPerNote     = 16
	MaxTurnContextBytes   = 64 << 10

	AnnotatedTools       = 10
	MaxToolCallsPerTurn  = 24
	MaxSameCallPerTurn   = 2
	MaxFailuresInARow    = 3
	MaxLocatesPerTurn    = 16
	MaxGrantsPerTurn     = 512
	MaxMutationsPerCall  = 100
	MaxPatchEdits        = 100
	GrantTTL             = 15 * time.Minute
	TurnTimeout          = 10 * time.Minute
	DiffReviewTimeout    = 60 * time.Second // a proposal waits for a person's decision
	MaxInspectNodes      = 200
	ReadPageBytes        = 8 << 10
	MinReadPageBytes     = 256
	QuoteRunes           = 160
	MaxFinishSummary     = 2_000 // runes
	MaxAttributeNameLen  = 128   // bytes
	MaxScreenshotBytes   = 12 << 20
	MaxPictureBytes      = 1 << 20 // of a picture that goes to a model
	MaxPictureSide       = 1568    // of its longer side, pixels
	MaxClipPixels        = 32 << 20
	BridgeRequestBytes   = 64 << 10
	BridgeResponseBytes  = 16 << 20
	BridgeCommandTimeout = 5 * time.Second
	BridgeLongestTimeout = 60 * time.Second // of any one operation, on the largest pages
	PreviewLeaseIdle     = 8 * time.Hour
	MaxPreviewsPerHost   = 8
	MaxOutlines          = 64 // elements of a page that are outlined at a time: a selection, its cursor, two notes
	WriterLeaseTTL       = 30 * time.Second
	EditSessionTTL       = 60 * time.Second
	MaxVersionNameRunes  = 100
	MaxAssetBytes        = 32 << 20
	MaxBirths            = 50_000 // elements the birth register numbers before it gives up

	// Models. Bytes are those of UTF-8 text unless the wire is named.
	MaxAnswerTokens       = 8_192           // asked of a model for one response
	MaxTurnTokens         = 1_000_000       // prompt and answer tokens of all calls of a turn
	MaxPromptBytes        = 512 << 10       // of one request, pictures and tool schemas apart
	MaxModelTextBytes     = 256 << 10       // text of one response
	MaxModelArgumentBytes = 2 << 20         // arguments of all tool calls of one response
	MaxModelStreamBytes   = 32 << 20        // of one response on the wire
	MaxModelLineBytes     = 4 << 20         // of one line on the wire
	MaxModelAttempts      = 3               // of one call, before its first token
	ModelIdleTimeout      = 3 * time.Minute // silence of a host; models that think send nothing meanwhile
	ModelCallTimeout      = 5 * time.Minute
	FinaliserTimeout      = 60 * time.Second
	MaxProposers          = 4
	ProposerTimeout       = 60 * time.Second
	MaxAdviceTokens       = 1_024   // asked of a proposer
	MaxAdviceBytes        = 8 << 10 // kept of what one proposer says

	// The context snapshot (R-CTX).
	SnapshotMaxRunes    = 12_000
	SnippetRadiusLines  = 80
	MaxTabs             = 20
	MaxDiagnostics      = 20
	MaxProjectFileBytes = 100_000

	// Review bundles. An export leaves out what does not fit, the oldest first; an
	// import refuses what is beyond.
	MaxBundleBytes         = 64 << 20 // of the file, HTML or JSON
	MaxBundleHistoryBytes  = 8 << 20  // JSON of the change sets that an export takes along
	MaxBundleReplayBytes   = 1 << 30  // of all versions together, as they are made again
	MaxBundleChanges       = 1_000
	MaxBundleEdits         = 200_000 // of all changes
	MaxBundleDrafts        = 256
	MaxBundleDraftVersions = 16 // versions that drafts' proofs name

	// Certification (D-109), physical provider calls.
	CertCallsBaseline = 42
	CertCallsWorst    = 63
	CertCallsStop     = 64
)
