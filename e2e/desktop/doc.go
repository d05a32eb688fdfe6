// Package desktop tests the desktop app as a person has it: the real Electron, the
// real gateway, real files, and a hand at the screen itself.
package desktop
