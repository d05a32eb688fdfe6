// Package person is what a person has at a program's window: eyes that read what
// is shown, a mouse, a keyboard, and a screen of its own. Tests of windows share
// it; nothing else imports it.
package person
