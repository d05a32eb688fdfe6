package surface

import "time"

// Limits of the listener, of assets and of allowed origins.
const (
	maxURLBytes        = 8192
	maxHeaderBytes     = 32 << 10
	maxConnections     = 128
	maxFileNameBytes   = 255
	maxAssetPathBytes  = 1024
	maxAssetDepth      = 32 // folders and links on the way to one asset
	maxLinks           = 16 // symbolic links on the way to one asset
	maxMissing         = 64 // entries of the list of missing files
	maxAsked           = 64 // entries of the list of blocked origins
	maxRefusedOrigins  = 256
	maxReportBytes     = 64 << 10
	maxReportsPerLease = 512
	maxAllowedOrigins  = 32
	maxViewport        = 8192 // CSS pixels

	maxFetchBytes     = 8 << 20  // of one response
	maxFetchPageBytes = 64 << 20 // of all responses of one recording
	maxFetchEntries   = 512
	maxFetchHeader    = 64 << 10
	fetchTimeout      = 15 * time.Second
)

// timeouts of the listener; tests shorten them.
type timeouts struct {
	header time.Duration // until a request's header is complete
	read   time.Duration // until the whole request is read
	write  time.Duration
	idle   time.Duration // between two requests of one connection
}

func defaultTimeouts() timeouts {
	return timeouts{header: 5 * time.Second, read: 10 * time.Second, write: 60 * time.Second, idle: 60 * time.Second}
}
