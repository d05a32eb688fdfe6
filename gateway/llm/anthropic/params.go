package anthropic

import (
	"encoding/base64"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"proofmark/gateway/llm"
	"proofmark/gateway/llm/internal/provider"
)

// params writes a request as the wire format wants it.
func (m *Model) params(req llm.Request) sdk.MessageNewParams {
	p := sdk.MessageNewParams{Model: m.s.Model, MaxTokens: m.s.Tokens(req.MaxTokens)}
	if req.System != "" {
		p.System = []sdk.TextBlockParam{{Text: req.System}}
	}
	history := provider.Ordered(req.Messages)
	p.Messages = m.turns(history)
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, tool(t))
	}
	if len(req.Tools) == 0 {
		closed(&p, history)
	}
	return p
}

// closed takes the tools away from a conversation that has used some. The host
// refuses one with calls and without tools, so those that were called are named
// and may not be called.
func closed(p *sdk.MessageNewParams, history []llm.Message) {
	named := map[string]bool{}
	for _, msg := range history {
		for _, c := range msg.ToolCalls {
			if name := provider.FunctionName(c.Name); !named[name] {
				named[name] = true
				p.Tools = append(p.Tools, tool(llm.ToolDef{Name: name, Description: "closed"}))
			}
		}
	}
	if len(p.Tools) > 0 {
		none := sdk.NewToolChoiceNoneParam()
		p.ToolChoice = sdk.ToolChoiceUnionParam{OfNone: &none}
	}
}

// turns writes the messages; the wire format wants the two sides to take turns,
// so what a person says goes into one message with the results before it.
func (m *Model) turns(history []llm.Message) []sdk.MessageParam {
	var out []sdk.MessageParam
	var blocks []sdk.ContentBlockParamUnion
	for i, msg := range history {
		blocks = append(blocks, m.blocks(msg)...)
		model := msg.Role == llm.Assistant
		if i+1 < len(history) && (history[i+1].Role == llm.Assistant) == model {
			continue
		}
		switch {
		case len(blocks) == 0:
		case model:
			out = append(out, sdk.NewAssistantMessage(blocks...))
		default:
			out = append(out, sdk.NewUserMessage(blocks...))
		}
		blocks = nil
	}
	return out
}

// blocks gives a message's content. An empty text is refused, and left out.
func (m *Model) blocks(msg llm.Message) []sdk.ContentBlockParamUnion {
	if msg.Role == llm.Tool {
		return []sdk.ContentBlockParamUnion{result(msg)}
	}
	var out []sdk.ContentBlockParamUnion
	if msg.Text != "" {
		out = append(out, sdk.NewTextBlock(msg.Text))
	}
	if m.s.Vision && msg.Role == llm.User {
		for _, img := range msg.Images {
			out = append(out, sdk.NewImageBlockBase64(img.MediaType, base64.StdEncoding.EncodeToString(img.Data)))
		}
	}
	for _, c := range msg.ToolCalls {
		out = append(out, sdk.NewToolUseBlock(c.ID, provider.Object(c.Arguments), provider.FunctionName(c.Name)))
	}
	return out
}

func result(msg llm.Message) sdk.ContentBlockParamUnion {
	r := &sdk.ToolResultBlockParam{ToolUseID: msg.ToolCallID}
	if msg.Text != "" {
		r.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: msg.Text}}}
	}
	if msg.IsError {
		r.IsError = sdk.Bool(true)
	}
	return sdk.ContentBlockParamUnion{OfToolResult: r}
}

// tool keeps the schema as it stands: in the SDK's own type its properties would
// lose their order.
func tool(t llm.ToolDef) sdk.ToolUnionParam {
	p := &sdk.ToolParam{Name: t.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](provider.Schema(t))}
	if t.Description != "" {
		p.Description = sdk.String(t.Description)
	}
	return sdk.ToolUnionParam{OfTool: p}
}
