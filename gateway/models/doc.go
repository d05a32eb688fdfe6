// Package models knows which models a person has configured, and makes line-ups
// of them: from models.json, a closed file without secrets, and from names that
// work without one, such as openai:MODEL or local:MODEL.
package models
