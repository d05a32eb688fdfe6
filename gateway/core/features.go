package core

// Feature is something an operator can switch off (R-SEC-6).
type Feature string

// Features.
const (
	// FeatureWorkbench is looking at documents in a preview, and editing them.
	FeatureWorkbench Feature = "documentWorkbenchResources"
	// FeatureAnnotations is notes that are sent to a planner or a model, which
	// then edits the document.
	FeatureAnnotations Feature = "artifactPromptAnnotations"
)

// Features lists every feature.
func Features() []Feature { return []Feature{FeatureWorkbench, FeatureAnnotations} }
