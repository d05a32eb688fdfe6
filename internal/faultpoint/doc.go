// Package faultpoint marks the places at which a process may die, a write may
// fail or the clock may jump, so that a harness can make each of that happen.
//
// A build has none of it: every function is empty there and costs nothing.
// Built with the tag faults (on Unix), the points a run passes are counted from
// 1, and the environment says what happens at which of them:
//
//	PROOFMARK_FAULT=kill@17       SIGKILL at the 17th point
//	PROOFMARK_FAULT=ENOSPC@17     the write behind the 17th point fails: ENOSPC, EIO, EROFS
//	PROOFMARK_FAULT=ENOSPC@17+    so do all writes after it
//	PROOFMARK_FAULT=clock-36h@17  from the 17th point on the clock is 36 hours slow; @0 is from the start
//	PROOFMARK_FAULT=run@17        at the 17th point the shell runs PROOFMARK_FAULT_RUN: another program
//	PROOFMARK_FAULT_TRACE=FILE    each point's number, kind and name go to FILE, a line each
//
// Several faults are joined by commas.
package faultpoint
