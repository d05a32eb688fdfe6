package models

import (
	"path/filepath"
)

// FileName is the configuration file's name in the data directory.
const FileName = "models.json"

// EnvFile names the environment variable that names another file.
const EnvFile = "PROOFMARK_MODELS"

// Load reads the configuration file of a data directory, or the one the
// environment names. No file is an empty configuration, unless it was named.
func Load(dir string, getenv func(string) string) (Catalog, error) {
	return Catalog{getenv: getenv, path: or(getenv(EnvFile), filepath.Join(dir, FileName))}, nil
}

func checkBase(base string) error { return nil }
