package openai

import (
	"encoding/base64"
	"net/url"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"proofmark/gateway/llm"
	"proofmark/gateway/llm/internal/provider"
)

// params writes a request as the wire format wants it.
func (m *Model) params(req llm.Request) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{
		Model:         m.s.Model,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
	}
	// OpenAI refuses the old name for its newer models; others know it alone.
	if n := sdk.Int(m.s.Tokens(req.MaxTokens)); m.isOpenAI() {
		p.MaxCompletionTokens = n
	} else {
		p.MaxTokens = n
	}
	if req.System != "" {
		p.Messages = append(p.Messages, sdk.SystemMessage(req.System))
	}
	for _, msg := range provider.Ordered(req.Messages) {
		p.Messages = append(p.Messages, m.message(msg)...)
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, tool(t))
	}
	return p
}

func (m *Model) isOpenAI() bool {
	u, err := url.Parse(m.s.BaseURL)
	return err == nil && u.Hostname() == ownHost
}

func (m *Model) message(msg llm.Message) []sdk.ChatCompletionMessageParamUnion {
	switch msg.Role {
	case llm.Assistant:
		return []sdk.ChatCompletionMessageParamUnion{{OfAssistant: assistant(msg)}}
	case llm.Tool:
		return []sdk.ChatCompletionMessageParamUnion{sdk.ToolMessage(msg.Text, msg.ToolCallID)}
	}
	if len(msg.Images) == 0 || !m.s.Vision {
		if msg.Text == "" {
			return nil
		}
		return []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage(msg.Text)}
	}
	var parts []sdk.ChatCompletionContentPartUnionParam
	if msg.Text != "" {
		parts = append(parts, sdk.TextContentPart(msg.Text))
	}
	for _, img := range msg.Images {
		parts = append(parts, sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{
			URL: "data:" + img.MediaType + ";base64," + base64.StdEncoding.EncodeToString(img.Data),
		}))
	}
	return []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage(parts)}
}

func assistant(msg llm.Message) *sdk.ChatCompletionAssistantMessageParam {
	p := &sdk.ChatCompletionAssistantMessageParam{}
	if msg.Text != "" {
		p.Content.OfString = sdk.String(msg.Text)
	} else {
		// Some hosts refuse a message without the field, others an empty text.
		p.SetExtraFields(map[string]any{"content": nil})
	}
	for _, c := range msg.ToolCalls {
		p.ToolCalls = append(p.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID: c.ID,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name:      provider.FunctionName(c.Name),
					Arguments: string(provider.Object(c.Arguments)),
				},
			},
		})
	}
	return p
}

// tool keeps the schema as it stands: in the SDK's own type, a map, its
// properties would lose their order.
func tool(t llm.ToolDef) sdk.ChatCompletionToolUnionParam {
	return sdk.ChatCompletionFunctionTool(param.Override[shared.FunctionDefinitionParam](map[string]any{
		"name": t.Name, "description": t.Description, "parameters": provider.Schema(t),
	}))
}
