package script

import (
	"context"
	"errors"
	"testing"

	"proofmark/gateway/llm"
)

func TestScript(t *testing.T) {
	boom := errors.New("boom")
	m := New(
		Call("document_inspect", struct{}{}),
		CallFrom("document_apply", func(result map[string]any) any { return map[string]any{"grant": result["grant"]} }),
		Fail(boom),
		Say("done"),
	)
	ctx := t.Context()
	first, err := m.Complete(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User}}}, nil)
	if err != nil || first.ToolCalls[0].Name != "document_inspect" || first.ToolCalls[0].Arguments != "{}" || first.ToolCalls[0].ID == "" {
		t.Fatalf("%+v %v", first, err)
	}
	second, err := m.Complete(ctx, llm.Request{Messages: []llm.Message{{Role: llm.Tool, Text: `{"grant":"hrg_1"}`}}}, nil)
	if err != nil || second.ToolCalls[0].Arguments != `{"grant":"hrg_1"}` {
		t.Fatalf("%+v %v", second, err)
	}
	if _, err := m.Complete(ctx, llm.Request{}, nil); !errors.Is(err, boom) {
		t.Fatalf("got %v", err)
	}
	if m.Left() != 1 {
		t.Errorf("%d steps left", m.Left())
	}
	said := ""
	last, err := m.Complete(ctx, llm.Request{}, func(e llm.Event) { said += e.TextDelta })
	if err != nil || last.Text != "done" || said != "done" {
		t.Fatalf("%+v %q %v", last, said, err)
	}
	if _, err := m.Complete(ctx, llm.Request{}, nil); err == nil {
		t.Error("the script went on behind its end")
	}
	if len(m.Requests()) != 5 {
		t.Errorf("%d requests were kept", len(m.Requests()))
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := New(Say("x")).Complete(stopped, llm.Request{}, nil); err == nil {
		t.Error("a cancelled call was answered")
	}
	if _, err := LastResult(llm.Request{}); err == nil {
		t.Error("a result out of nothing")
	}
}
