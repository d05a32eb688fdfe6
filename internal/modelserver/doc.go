// Package modelserver plays a model provider for tests: a real HTTP server on
// 127.0.0.1 that speaks OpenAI chat completions and Anthropic messages byte for
// byte, answers from a script of steps, and can go wrong on the wire in every
// way a provider or the network does. It knows nothing of the program's own
// types, so that a black-box test can use it too.
//
// A request that a real provider would refuse, such as a tool call without its
// result, is refused here as well, with the body the provider would send.
package modelserver
