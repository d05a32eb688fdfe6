package main

// needsDisplay: a window on Linux needs an X or Wayland server.
const needsDisplay = true
