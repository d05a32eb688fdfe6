package tools

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// Names of the ten tools.
const (
	Inspect    = "document_inspect"
	Read       = "document_read"
	Locate     = "document_locate"
	Apply      = "document_apply"
	Patch      = "document_patch"
	BrowserSee = "document_browser_inspect"
	BrowserAct = "document_browser_act"
	Screenshot = "document_browser_screenshot"
	Reload     = "document_browser_reload"
	FinishName = "document_finish"
)

// definition is one tool: what a model reads of it, and how its arguments are
// checked.
type definition struct {
	llm.ToolDef
	resolved *jsonschema.Resolved
	fields   map[string]bool
}

func isWriter(name string) bool { return name == Apply || name == Patch }

func isBrowser(name string) bool {
	switch name {
	case BrowserSee, BrowserAct, Screenshot, Reload:
		return true
	}
	return false
}

// Defs gives the ten tools in a fixed order.
func Defs() []llm.ToolDef {
	defs := definitions()
	out := make([]llm.ToolDef, len(defs))
	for i, d := range defs {
		out[i] = d.ToolDef
	}
	return out
}

var definitions = sync.OnceValue(func() []definition {
	return []definition{
		define[inspectArgs](Inspect, "Read the notes in order: each with its instruction, its targets and single-use grants for what may be done to them. Begin here, and come back for fresh grants after a draft was staged.", func(s *jsonschema.Schema) {
			s.Properties["note"].Minimum = num(1)
		}),
		define[readArgs](Read, "Read the document: its source or its structure page by page, the source around a note, or every place that holds a text. Grants nothing.", func(s *jsonschema.Schema) {
			s.Properties["mode"].Enum = enum("source", "structure")
			s.Properties["page"].Minimum = num(1)
			s.Properties["around"].Minimum = num(1)
			text(s.Properties["find"], 1, maxQueryBytes)
		}),
		define[locateArgs](Locate, "Find exactly one element by tag, text or attribute and get a grant for one operation on it. Several matches are listed and nothing is granted.", func(s *jsonschema.Schema) {
			s.Properties["operation"].Enum = operations()
			s.Properties["note"].Minimum = num(1)
			text(s.Properties["tag"], 1, core.MaxAttributeNameLen)
			text(s.Properties["text"], 1, maxQueryBytes)
			text(s.Properties["attribute"].Properties["name"], 1, core.MaxAttributeNameLen)
			s.Properties["attribute"].Properties["value"].MaxLength = whole(maxQueryBytes)
		}),
		define[applyArgs](Apply, "Change the document with grants: one proposal, made as a whole or not at all. It stages a draft; nothing is published.", func(s *jsonschema.Schema) {
			list := s.Properties["mutations"]
			list.MinItems, list.MaxItems = whole(1), whole(core.MaxMutationsPerCall)
			m := list.Items
			m.Properties["operation"].Enum = operations()
			also := m.Properties["also"]
			also.MaxItems = whole(maxAlso)
		}),
		define[patchArgs](Patch, "Change the source by exact text: for what no grant can express, such as inserting elements, outer structure or a style sheet. One proposal, made as a whole or not at all. It stages a draft; nothing is published. Code in scripts and event handlers can be changed between its borders while it stays correct; the person must approve that, so do it only if a note asks for it.", func(s *jsonschema.Schema) {
			s.Properties["sourceSha"].Pattern = "^[0-9a-f]{64}$"
			list := s.Properties["edits"]
			list.MinItems, list.MaxItems = whole(1), whole(core.MaxPatchEdits)
			text(list.Items.Properties["expectedText"], 1, 0)
			list.Items.Properties["note"].Minimum = num(1)
		}),
		define[browserInspectArgs](BrowserSee, "See the page as the browser shows it: elements with their text, box and attributes. Of a staged draft it also gives the verification and the receipt for document_finish.", func(s *jsonschema.Schema) {
			s.Properties["scope"].Enum = enum("document", "viewport", "target")
			s.Properties["note"].Minimum = num(1)
			s.Properties["limit"].Minimum, s.Properties["limit"].Maximum = num(1), num(core.MaxInspectNodes)
		}),
		define[browserActArgs](BrowserAct, "Use the page as a person would, with real input. The page cannot be left.", func(s *jsonschema.Schema) {
			s.Properties["kind"].Enum = enum("click", "focus", "type", "press", "scroll")
			s.Properties["note"].Minimum = num(1)
			s.Properties["text"].MaxLength = whole(maxTypedRunes)
			s.Properties["key"].Enum = enum(keys...)
			s.Properties["direction"].Enum = enum("up", "down", "left", "right")
			s.Properties["unit"].Enum = enum("line", "page")
		}),
		define[browserScreenshotArgs](Screenshot, "Take a picture of the page. A model that sees gets it as an image after the result; every model gets size and state. Of a staged draft it also gives the verification and the receipt for document_finish.", func(s *jsonschema.Schema) {
			s.Properties["what"].Enum = enum(candidate.PartViewport, candidate.PartPage, candidate.PartTarget)
			s.Properties["of"].Enum = enum(candidate.OfDraft, candidate.OfDocument, candidate.OfDifference)
			s.Properties["width"].Enum = []any{candidate.Narrow, candidate.Middle, candidate.Wide}
			s.Properties["note"].Minimum = num(1)
			s.Properties["target"].Minimum = num(1)
		}),
		define[browserReloadArgs](Reload, "Load the page anew. Of a staged draft it also gives the verification and the receipt for document_finish.", nil),
		define[finishArgs](FinishName, "End the turn: commit the draft that was looked at, or discard. Stands alone in a response. The page has changed only when this answers applied.", func(s *jsonschema.Schema) {
			s.Properties["action"].Enum = enum("commit", "discard")
			s.Properties["receipt"].MaxLength = whole(160)
			s.Properties["sha"].MaxLength = whole(64)
			s.Properties["summary"].MaxLength = whole(core.MaxFinishSummary)
		}),
	}
})

// define makes one tool from the type of its arguments; refine adds what a Go
// type cannot say. The types are ours and fixed, so a failure is a programming
// error that the package's own tests meet first.
func define[T any](name, description string, refine func(*jsonschema.Schema)) definition {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("tools: schema of %s: %v", name, err))
	}
	plain(schema)
	if refine != nil {
		refine(schema)
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("tools: schema of %s: %v", name, err))
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("tools: schema of %s: %v", name, err))
	}
	fields := map[string]bool{}
	for f := range schema.Properties {
		fields[f] = true
	}
	return definition{ToolDef: llm.ToolDef{Name: name, Description: description, Schema: raw}, resolved: resolved, fields: fields}
}

// plain takes the null alternatives off optional and list types: a field is
// there or it is left out. Not every provider accepts a list of types.
func plain(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		plain(p)
	}
	plain(s.Items)
}

func num(n float64) *float64 { return &n }

func whole(n int) *int { return &n }

// text bounds a string's length in characters; most 0 leaves it open.
func text(s *jsonschema.Schema, least, most int) {
	s.MinLength = whole(least)
	if most > 0 {
		s.MaxLength = whole(most)
	}
}

func enum(values ...string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// keys are the keys a model may press.
var keys = []string{
	"Enter", "Tab", "Escape", "Backspace", "Delete", "Space", "ArrowUp", "ArrowDown",
	"ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown",
}
