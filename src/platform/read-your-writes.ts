/**
 * As long as a person waits: who looks at a list is kept for so long, at most, until what has just arrived is read and filed. In a flood
 * they see what was until then. Not a constant, since a test wants to see all of it, however busy its machine is.
 */
export const READ_YOUR_WRITES = { maxMs: 2_000 }
