// Package router says which of the configured models does a turn's work.
//
// A turn is put into a class by what it points at, never by what it says: the
// class sets the smallest tier a model must have. A line-up is what a person
// configured: one model, a model for each of several tiers, or an ensemble,
// whose proposers give advice without tools while its aggregator alone works.
// What the router tells about its choice are words from closed lists.
package router
