// Package turn accepts messages with annotations and runs them: it sends a
// model the instructions and the ten document tools, carries its calls to them,
// and says what became of the turn.
//
// Send accepts a message and its ordered annotations in one transaction, or
// neither. Run takes an accepted turn through its named states to exactly one
// end. Whatever a model says, a turn is applied only when document.Commit
// returned; time-outs, cancelling, crashes and budgets end it with the
// document's head as it was.
//
// All that a turn does is told in events, each stored before anybody hears of it
// (D10), so that whoever follows can leave and come back, also in another
// process. A turn's time, calls, tokens and prompts are bounded. One that worked
// with the tools ends with one more call, without them and told what is true.
package turn
