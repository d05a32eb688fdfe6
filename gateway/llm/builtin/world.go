package builtin

// What the planner reads of the tools' results. It knows them as any model
// does, from their JSON.

type inspected struct {
	OK      bool       `json:"ok"`
	Message string     `json:"message"`
	Notes   []noteSeen `json:"notes"`
}

type noteSeen struct {
	Order       int          `json:"order"`
	Instruction string       `json:"instruction"`
	Targets     []targetSeen `json:"targets"`
}

type targetSeen struct {
	Resolution string            `json:"resolution"`
	Reason     string            `json:"reason"`
	Tag        string            `json:"tag"`
	Attributes []attributeSeen   `json:"attributes"`
	Text       string            `json:"text"`
	Texts      []textSeen        `json:"texts"`
	Grants     map[string]string `json:"grants"`
	Cannot     map[string]string `json:"cannot"`
}

type attributeSeen struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type textSeen struct {
	Grant string `json:"grant"`
	Text  string `json:"text"`
	Cut   bool   `json:"cut"`
}

// outcome is what any other result says.
type outcome struct {
	OK           bool        `json:"ok"`
	Status       string      `json:"status"`
	Receipt      string      `json:"receipt"`
	CandidateSHA string      `json:"candidateSha"`
	Faults       []string    `json:"faults"`
	Error        failureSeen `json:"error"`
	Correctable  bool        `json:"correctable"`
}

type failureSeen struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Next    string `json:"next"`
}

// Arguments of the tools the planner calls.

type applyArguments struct {
	Mutations []mutation `json:"mutations"`
}

type mutation struct {
	Grant     string `json:"grant"`
	Operation string `json:"operation"`
	Text      string `json:"text,omitempty"`
	Name      string `json:"name,omitempty"`
	Value     string `json:"value,omitempty"`
	Also      []pair `json:"also,omitempty"`
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

type finishArguments struct {
	Action  string `json:"action"`
	Receipt string `json:"receipt,omitempty"`
	SHA     string `json:"sha,omitempty"`
	Summary string `json:"summary,omitempty"`
}
