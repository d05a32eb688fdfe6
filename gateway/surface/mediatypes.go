package surface

import (
	"path"
	"strings"
)

// mediaTypes are the only kinds of file that are served beside a page. What a
// page cannot load under its policy (pages to frame, data to fetch) is not here,
// and with it no key, certificate, database or program source.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".png": "image/png", ".apng": "image/apng", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".jfif": "image/jpeg",
	".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif", ".svg": "image/svg+xml",
	".ico": "image/x-icon", ".cur": "image/x-icon", ".bmp": "image/bmp",
	".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf",
	".mp4": "video/mp4", ".m4v": "video/mp4", ".webm": "video/webm", ".ogv": "video/ogg", ".mov": "video/quicktime",
	".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".aac": "audio/aac", ".oga": "audio/ogg", ".ogg": "audio/ogg",
	".opus": "audio/ogg", ".wav": "audio/wav", ".flac": "audio/flac", ".vtt": "text/vtt; charset=utf-8",
}

func mediaType(name string) (string, bool) {
	t, ok := mediaTypes[strings.ToLower(path.Ext(name))]
	return t, ok
}
