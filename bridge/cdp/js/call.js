function (call) { return globalThis[Symbol.for('proofmark.bridge')](call[0], this, call.slice(1)); }
