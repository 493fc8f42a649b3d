/**
 * A value that is there, or will be. What most requests need is known already (a key that came a moment ago, limits, the sender's
 * domain), and a promise for each of these was a tenth of what accepting an email cost.
 */
export type MaybePromise<Value> = Value | Promise<Value>

/** Continues with a value: synchronously unless it is a promise. */
export const whenKnown = <Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> => (value instanceof Promise ? value.then(next) : next(value))
