package core

// Code names why something was refused. The list is closed: every code stands
// once, in the table below, with its exit code.
type Code string

// Exit codes of the command line.
const (
	ExitOK            = 0
	ExitInternal      = 1
	ExitUsage         = 2
	ExitRefused       = 3
	ExitConflict      = 4
	ExitAnswered      = 5
	ExitMissing       = 6
	ExitNeedsApproval = 7
)

// Codes.
const (
	Internal Code = "internal"
	Usage    Code = "usage"

	// Input that cannot be a document.
	NotFound         Code = "not_found"
	IsDirectory      Code = "is_directory"
	NotRegular       Code = "not_regular"
	NotHTML          Code = "not_html"
	NotUTF8          Code = "not_utf8"
	HasNUL           Code = "nul"
	TooLarge         Code = "too_large"
	TooComplex       Code = "too_complex"
	PermissionDenied Code = "permission_denied"

	// Selections.
	SelectorInvalid   Code = "selector_invalid"
	SelectorNoMatch   Code = "selector_no_match"
	SelectorAmbiguous Code = "selector_ambiguous"
	ScriptMade        Code = "script_made"
	InFrame           Code = "iframe"
	InShadow          Code = "shadow"
	PseudoElement     Code = "pseudo"
	Detached          Code = "detached"
	Ambiguous         Code = "ambiguous"
	Changed           Code = "changed"
	NoSource          Code = "no_source"
	ParserDifference  Code = "parser_difference"
	SurfaceChanged    Code = "surface_changed"
	LeaseMismatch     Code = "lease_mismatch"
	StaleEpoch        Code = "stale_epoch"

	// Annotations and turns.
	InstructionTooLong Code = "instruction_too_long"
	TooMany            Code = "too_many"
	WrongSession       Code = "wrong_session"
	ContextTooLarge    Code = "context_too_large"
	RequestConflict    Code = "request_conflict"
	NotUnderstood      Code = "not_understood"

	// Grants, writers, candidates.
	GrantExpired    Code = "grant_expired"
	GrantReused     Code = "grant_reused"
	GrantUnknown    Code = "grant_unknown"
	GrantMismatch   Code = "grant_mismatch"
	Overlap         Code = "overlap"
	NoOp            Code = "no_op"
	NoMatch         Code = "no_match"
	SeveralMatches  Code = "several_matches"
	InvalidEdit     Code = "invalid_edit"
	InvalidHTML     Code = "invalid_html"
	Unsupported     Code = "unsupported"
	UnsafeStructure Code = "unsafe_structure"
	ScriptRegion    Code = "script_region"
	Policy          Code = "policy"
	NeedsApproval   Code = "needs_approval"
	Unbound         Code = "unbound"
	NewFault        Code = "new_fault"
	SurfaceLost     Code = "surface_lost"
	StaleReceipt    Code = "stale_receipt"
	Budget          Code = "budget"
	ToolUnknown     Code = "tool_unknown"
	ToolArguments   Code = "tool_arguments"
	TurnEnded       Code = "turn_ended"

	// Documents.
	HeadMoved        Code = "head_moved"
	StaleSource      Code = "stale_source"
	OutsideChange    Code = "outside_change"
	OverlapsLater    Code = "overlaps_later"
	LeaseHeld        Code = "lease_held"
	LeaseLost        Code = "lease_lost"
	UnknownDocument  Code = "unknown_document"
	UnknownRevision  Code = "unknown_revision"
	UnknownChange    Code = "unknown_change"
	InvalidName      Code = "invalid_name" // of a version
	NameTaken        Code = "name_taken"   // by another version
	NothingToRedo    Code = "nothing_to_redo"
	AmbiguousOutcome Code = "ambiguous_outcome"
	InvalidBundle    Code = "invalid_bundle" // a review file that does not hold what it says

	// Storage and machine.
	StorageFull    Code = "storage_full"
	StorageDamaged Code = "storage_damaged"
	StorageForeign Code = "storage_foreign"
	StorageNewer   Code = "storage_newer"
	StorageBusy    Code = "storage_busy"
	ReadOnly       Code = "read_only"
	AlreadyExists  Code = "already_exists"
	NoBrowser      Code = "no_browser"
	BrowserFailed  Code = "browser_failed"
	NoModel        Code = "no_model"

	// Models.
	ModelUnreachable Code = "model_unreachable" // no connection, or it broke
	ModelDenied      Code = "model_denied"      // the key is missing, wrong, or may not use the model
	ModelBusy        Code = "model_busy"        // 429, overloaded, 5xx
	ModelRefused     Code = "model_refused"     // the provider refuses this request: 4xx
	ModelBroken      Code = "model_broken"      // what came back is not the wire format, or beyond its bounds

	// The gateway's edge.
	Unauthenticated Code = "unauthenticated" // no token, or none that is valid
	WrongScope      Code = "wrong_scope"     // the token is valid and does not open this
	WrongHost       Code = "wrong_host"
	WrongOrigin     Code = "wrong_origin"
	BadRequest      Code = "bad_request" // the request itself is malformed
	NoRoute         Code = "no_route"
	RateLimited     Code = "rate_limited"
	FeatureOff      Code = "feature_off" // an operator switched it off
	ShuttingDown    Code = "shutting_down"
	NoGateway       Code = "no_gateway" // none is running, or what answers is none of ours

	Timeout   Code = "timeout"
	Cancelled Code = "cancelled"
	Denied    Code = "denied"
)

var exits = map[Code]int{
	Internal: ExitInternal, Usage: ExitUsage,
	NotFound: ExitRefused, IsDirectory: ExitRefused, NotRegular: ExitRefused, NotHTML: ExitRefused, NotUTF8: ExitRefused,
	HasNUL: ExitRefused, TooLarge: ExitRefused, TooComplex: ExitRefused, PermissionDenied: ExitRefused,
	SelectorInvalid: ExitRefused, SelectorNoMatch: ExitRefused, SelectorAmbiguous: ExitRefused, ScriptMade: ExitRefused,
	InFrame: ExitRefused, InShadow: ExitRefused, PseudoElement: ExitRefused, Detached: ExitRefused, Ambiguous: ExitRefused,
	Changed: ExitRefused, NoSource: ExitRefused, ParserDifference: ExitRefused, SurfaceChanged: ExitRefused,
	LeaseMismatch: ExitRefused, StaleEpoch: ExitRefused,
	InstructionTooLong: ExitRefused, TooMany: ExitRefused, WrongSession: ExitRefused, ContextTooLarge: ExitRefused,
	RequestConflict: ExitConflict, NotUnderstood: ExitAnswered,
	GrantExpired: ExitRefused, GrantReused: ExitRefused, GrantUnknown: ExitRefused, GrantMismatch: ExitRefused,
	Overlap: ExitRefused, NoOp: ExitRefused, NoMatch: ExitRefused, SeveralMatches: ExitRefused, InvalidEdit: ExitRefused,
	InvalidHTML: ExitRefused, Unsupported: ExitRefused, UnsafeStructure: ExitRefused, ScriptRegion: ExitRefused,
	Policy: ExitRefused, NeedsApproval: ExitNeedsApproval, Unbound: ExitRefused, NewFault: ExitRefused,
	SurfaceLost: ExitRefused, StaleReceipt: ExitRefused, Budget: ExitRefused, ToolUnknown: ExitRefused,
	ToolArguments: ExitRefused, TurnEnded: ExitRefused,
	HeadMoved: ExitConflict, StaleSource: ExitConflict, OutsideChange: ExitConflict, OverlapsLater: ExitConflict,
	LeaseHeld: ExitConflict, LeaseLost: ExitConflict, UnknownDocument: ExitRefused, UnknownRevision: ExitRefused,
	UnknownChange: ExitRefused, InvalidName: ExitRefused, NameTaken: ExitConflict, NothingToRedo: ExitConflict, AmbiguousOutcome: ExitConflict,
	InvalidBundle: ExitRefused,
	StorageFull:   ExitInternal, StorageDamaged: ExitInternal, StorageForeign: ExitRefused, StorageNewer: ExitRefused,
	StorageBusy: ExitConflict, ReadOnly: ExitRefused, AlreadyExists: ExitRefused, NoBrowser: ExitMissing, BrowserFailed: ExitMissing,
	NoModel: ExitMissing, ModelUnreachable: ExitMissing, ModelDenied: ExitMissing, ModelBusy: ExitMissing,
	ModelRefused: ExitMissing, ModelBroken: ExitMissing,
	Unauthenticated: ExitRefused, WrongScope: ExitRefused, WrongHost: ExitRefused, WrongOrigin: ExitRefused,
	BadRequest: ExitRefused, NoRoute: ExitRefused, RateLimited: ExitRefused, FeatureOff: ExitRefused,
	ShuttingDown: ExitConflict, NoGateway: ExitMissing,
	Timeout: ExitInternal, Cancelled: ExitInternal, Denied: ExitRefused,
}

// Exit gives the command line's exit code for the code; an unlisted code is
// an internal error.
func (c Code) Exit() int {
	if c == "" {
		return ExitOK
	}
	if x, ok := exits[c]; ok {
		return x
	}
	return ExitInternal
}

// Codes lists every known code.
func Codes() []Code {
	out := make([]Code, 0, len(exits))
	for c := range exits {
		out = append(out, c)
	}
	return out
}
