//go:build !unix

package document

import (
	"io/fs"
	"os"
)

func keepOwner(*os.File, fs.FileInfo) {}
