// Package window drives the workbench as a person does: the real program opens
// its real window, and real mouse and key events go through it, on a display
// where there is one. Nothing of the gateway is imported.
package window
