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

// Needs gives the features a feature cannot do without: where one of them is
// off, it is off too.
func (f Feature) Needs() []Feature {
	if f == FeatureAnnotations {
		return []Feature{FeatureWorkbench}
	}
	return nil
}

// Features lists every feature.
func Features() []Feature { return []Feature{FeatureWorkbench, FeatureAnnotations} }
