package tools

// The arguments of the ten tools. Names and comments of these fields are what
// a model reads; the schemas are generated from them and golden-tested.

type inspectArgs struct {
	Note int `json:"note,omitempty" jsonschema:"only this note, by its order; leave out for all notes"`
}

type readArgs struct {
	Mode   string `json:"mode,omitempty" jsonschema:"source (default) for the exact text, structure for an indented outline of elements"`
	Page   int    `json:"page,omitempty" jsonschema:"which page to read, from 1; each result says how many there are"`
	Around int    `json:"around,omitempty" jsonschema:"instead of a page: the source around the first target of this note"`
	Find   string `json:"find,omitempty" jsonschema:"instead of a page: every place where the source holds exactly this text, with its surroundings"`
}

type locateArgs struct {
	Operation string     `json:"operation" jsonschema:"what you want to do to the element; the grant is for this operation only"`
	Note      int        `json:"note,omitempty" jsonschema:"look only at the targets of this note and what is inside them"`
	Tag       string     `json:"tag,omitempty" jsonschema:"the element's tag name, such as h2 or img"`
	Text      string     `json:"text,omitempty" jsonschema:"text the element holds; of nested elements the innermost counts"`
	Attribute *attrQuery `json:"attribute,omitempty" jsonschema:"an attribute the element has in the source"`
}

type attrQuery struct {
	Name  string  `json:"name" jsonschema:"the attribute's name"`
	Value *string `json:"value,omitempty" jsonschema:"its exact value; leave out for any"`
}

type applyArgs struct {
	Mutations []mutation `json:"mutations" jsonschema:"all changes of this proposal; they are made together or not at all"`
}

type mutation struct {
	Grant     string `json:"grant" jsonschema:"a grant from document_inspect or document_locate, copied whole"`
	Operation string `json:"operation,omitempty" jsonschema:"the operation the grant is for, as a check"`
	Text      string `json:"text,omitempty" jsonschema:"for replace_text: the new text, plain, not escaped"`
	Name      string `json:"name,omitempty" jsonschema:"for set_attribute and remove_attribute: the attribute; for set_style: the CSS property; for add_class and remove_class: the class"`
	Value     string `json:"value,omitempty" jsonschema:"for set_attribute and set_style: the new value, plain, not escaped"`
	Also      []pair `json:"also,omitempty" jsonschema:"further names and values of the same operation on the same element"`
}

type pair struct {
	Name  string `json:"name" jsonschema:"as name above"`
	Value string `json:"value,omitempty" jsonschema:"as value above"`
}

type patchArgs struct {
	SourceSHA string      `json:"sourceSha" jsonschema:"the SHA-256 of the source as it is now, from the latest result"`
	Edits     []patchEdit `json:"edits" jsonschema:"all changes of this proposal; they are made together or not at all"`
}

type patchEdit struct {
	ExpectedText string `json:"expectedText" jsonschema:"source text, copied exactly, that stands in the document once; enough of it to be unique"`
	Replacement  string `json:"replacement" jsonschema:"the source text that takes its place"`
	Note         int    `json:"note,omitempty" jsonschema:"the order of the note that asks for this edit"`
}

type browserInspectArgs struct {
	Scope  string `json:"scope,omitempty" jsonschema:"document, viewport for what is in sight, target for a note's target and what is inside it; where left out the document, and once a draft is staged the notes' targets"`
	Note   int    `json:"note,omitempty" jsonschema:"the note, for the scope target"`
	Target int    `json:"target,omitempty" jsonschema:"which of the note's targets, from 1; the first that can be told where left out"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many elements at most; 24 where left out, 12 of a draft's targets"`
}

type browserActArgs struct {
	Kind      string `json:"kind" jsonschema:"what to do: click, focus, type, press or scroll"`
	Note      int    `json:"note,omitempty" jsonschema:"for click, focus and type: do it to the first target of this note"`
	Text      string `json:"text,omitempty" jsonschema:"for type: what to type; for click and focus without a note: the visible text of the one element meant"`
	Key       string `json:"key,omitempty" jsonschema:"for press: the key"`
	Direction string `json:"direction,omitempty" jsonschema:"for scroll: where to"`
	Unit      string `json:"unit,omitempty" jsonschema:"for scroll: how far, a line (default) or a page"`
}

type browserScreenshotArgs struct {
	What   string `json:"what,omitempty" jsonschema:"viewport (default), page for the full page, target for a note's target"`
	Of     string `json:"of,omitempty" jsonschema:"draft (default; the document where nothing is staged), document for the page before your change, difference for what looks different, marked in pink"`
	Width  int    `json:"width,omitempty" jsonschema:"how wide the view is, CSS pixels; the person's own width where left out"`
	Note   int    `json:"note,omitempty" jsonschema:"the note, for the target"`
	Target int    `json:"target,omitempty" jsonschema:"which of the note's targets, from 1; the first that can be told where left out"`
}

type browserReloadArgs struct{}

type finishArgs struct {
	Action  string `json:"action" jsonschema:"commit publishes the draft as one new version; discard drops it"`
	Receipt string `json:"receipt,omitempty" jsonschema:"for commit: the receipt of the latest look at the draft"`
	SHA     string `json:"sha,omitempty" jsonschema:"for commit: the candidateSha that came with the receipt"`
	Summary string `json:"summary,omitempty" jsonschema:"one or two sentences for the person: what was changed, or why not"`
}
