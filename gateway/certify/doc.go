// Package certify proves, with real models, a real browser and a real database,
// that annotated turns do what they promise: it runs the nine cases of the
// certification matrix and reports, for each, booleans, counts and hashes.
//
// Five cases change a page, one through each way there is: one model, a router,
// an ensemble. Each has to end in exactly one revision and one change set, which
// is then taken back whole and compared byte by byte. Four cases must be refused
// before any model is asked. Every physical call of a model goes through a meter
// that holds each case to its reservation and never lets call number
// core.CertCallsStop out.
//
// Pages and instructions are synthetic and stand in this package. Everything
// happens in a temporary folder, which is searched for credentials and removed.
package certify
