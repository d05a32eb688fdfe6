//go:build !linux

package main

const needsDisplay = false
