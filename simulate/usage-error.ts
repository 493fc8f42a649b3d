/** What is wrong with what was asked for: one line, without a stack. */
export class UsageError extends Error {}
