package modelserver

// Reply is what the server answers to one request.
type Reply struct {
	Text  string
	Calls []Call
	// Stop is why the response ends: "" for its natural end, "length", "refused",
	// or a word of the wire format as it stands.
	Stop string
	// Status other than 0 and 200 answers with the provider's own error body,
	// whose message is Text.
	Status int
	Header map[string]string
	// Body, where not empty, is sent as it stands in place of everything; its
	// content type is that of a stream unless Header names another.
	Body    string
	Fault   Fault
	Odd     Odd
	NoUsage bool // tokens are not reported

	again Step // what answers the next request too
}

// Fault says how a reply goes wrong, or unusually, on the wire.
type Fault struct {
	Fragment   int  // bytes of one write, each flushed; 1 cuts lines and characters anywhere; 0 writes event by event
	LateID     bool // OpenAI: a call's id comes with the last piece of its arguments
	Interleave bool // the arguments of several calls come in turns, one character each
	EndlessText,
	EndlessLine bool // text, or one line, goes on until the client goes away
	InvalidUTF8 bool // a byte that is no UTF-8 stands in the text, or in the arguments where there is no text
	CutAfter    int  // the connection is dropped after so many bytes of the body
	Hang        bool // nothing more is sent after HangAfter bytes, until the client goes away or the server closes
	HangAfter   int  // 0: not even the header
	BrokenJSON  bool // one event in the middle is not JSON
	NoDone      bool // the stream ends without [DONE] or message_stop
	NoFinish    bool // the stream ends in good order before its finish_reason, stop_reason and usage
	HTML        bool // a web page, with status 200
	Redirect    string
	ErrorEvent  string // an error event of this type stands in the middle of the stream, as both providers send it
	Gzip        bool   // the body is compressed, whether or not the client asked
	// Delay holds the answer back until it is closed, or the client goes away.
	Delay <-chan struct{}
}

// Odd makes a reply as servers send it that are compatible and yet different.
// Where it says nothing else it is about the OpenAI format.
type Odd struct {
	IndexZero    bool // every call has index 0; only the ids differ
	NoIndex      bool // calls have no index
	NoID         bool // calls have no id
	WholeCalls   bool // a call comes in one piece
	NameInPieces bool // a call's name comes in two pieces
	NullContent  bool // every piece of a call has "content":null
	RoleAlways   bool // every piece names the role
	FinishStop   bool // finish_reason is "stop" behind calls too
	Reasoning    bool // reasoning_content comes first; Anthropic: a thinking block
	EmptyChoices bool // a first chunk has no choices
	PlainJSON    bool // both formats: one JSON object in place of a stream
	CRLF         bool // both formats: lines end in CR LF
	Comments     bool // both formats: comment lines stand between events
	NoSpace      bool // both formats: no space follows "data:"
	TextType     bool // both formats: the stream's content type is text/plain
}
