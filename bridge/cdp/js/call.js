function (operation, ...args) { return globalThis[Symbol.for('proofmark.bridge')](operation, this, args); }
