package edge

import (
	"net/http"

	"proofmark/gateway/core"
)

// statuses gives the HTTP status of each code that is not a plain refusal of
// what was asked (422).
var statuses = map[core.Code]int{
	core.Internal: 500, core.StorageDamaged: 500, core.StorageForeign: 500, core.StorageNewer: 500,
	core.StorageFull: 507, core.StorageBusy: 503, core.ShuttingDown: 503, core.Timeout: 504, core.Cancelled: 409,
	core.Usage: 400, core.BadRequest: 400, core.ToolArguments: 400, core.InvalidName: 400, core.SelectorInvalid: 400,
	core.Unauthenticated: 401, core.WrongScope: 403, core.WrongOrigin: 403, core.FeatureOff: 403, core.Denied: 403,
	core.PermissionDenied: 403, core.ReadOnly: 403, core.NeedsApproval: 403, core.WrongHost: 421, core.WrongSession: 403,
	core.NotFound: 404, core.NoRoute: 404, core.UnknownDocument: 404, core.UnknownRevision: 404, core.UnknownChange: 404,
	core.RequestConflict: 409, core.HeadMoved: 409, core.StaleSource: 409, core.OutsideChange: 409, core.OverlapsLater: 409,
	core.LeaseHeld: 409, core.LeaseLost: 409, core.LeaseMismatch: 409, core.StaleEpoch: 409, core.NameTaken: 409,
	core.NothingToRedo: 409, core.AmbiguousOutcome: 409, core.AlreadyExists: 409, core.TurnEnded: 409, core.StaleReceipt: 409,
	core.TooLarge: 413, core.InstructionTooLong: 413, core.ContextTooLarge: 413,
	core.RateLimited: 429, core.ModelBusy: 503, core.ModelUnreachable: 502, core.ModelDenied: 502, core.ModelRefused: 502, core.ModelBroken: 502,
	core.NoBrowser: 503, core.BrowserFailed: 503, core.NoModel: 503, core.SurfaceLost: 503, core.NoGateway: 503,
}

// Status gives the HTTP status of a refusal.
func Status(err *core.Error) int {
	if err.Code == core.BadRequest {
		switch err.Detail["reason"] {
		case "length":
			return http.StatusLengthRequired
		case "type":
			return http.StatusUnsupportedMediaType
		case "method":
			return http.StatusMethodNotAllowed
		case "slow":
			return http.StatusRequestTimeout
		}
	}
	if s, ok := statuses[err.Code]; ok {
		return s
	}
	return http.StatusUnprocessableEntity
}
