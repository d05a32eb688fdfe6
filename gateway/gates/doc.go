// Package gates says which features are on, and why.
//
// A feature is off as soon as one of these says so, whatever the others say: the
// operator's configuration file, the environment, the kill switch in the
// database. What the host offers can keep a feature off, never bring it on
// against an operator; a feature whose groundwork is off (core.Feature.Needs) is
// off with it. Configuration and environment are read once, at start; the kill
// switch counts from the moment it is thrown, in every process, and a commit
// looks at it in its own transaction (store.Tx.CheckFeature).
package gates
