package core

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewID gives a random identifier: the prefix, "_" and 128 bits in lower-case
// base32 (26 characters).
func NewID(prefix string) string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // crypto/rand never fails on the platforms Go supports
	}
	return prefix + "_" + idEncoding.EncodeToString(b[:])
}

// NewSecret gives a random 256-bit value with a prefix that ends in "_":
// 43 base64url characters behind it.
func NewSecret(prefix string) string {
	var b [32]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	return prefix + base64.RawURLEncoding.EncodeToString(b[:])
}

// SHA256Hex gives the SHA-256 of b in lower-case hexadecimal.
func SHA256Hex(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// HasPrefix tells whether id carries the prefix of its kind.
func HasPrefix(id, prefix string) bool { return strings.HasPrefix(id, prefix+"_") }
