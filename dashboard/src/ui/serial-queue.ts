const lastOf = new Map<string, Promise<unknown>>()

/** What is done to one thing arrives in the order in which it was done: taking it back does not overtake it. */
export async function runSerially(thing: string, run: () => Promise<unknown>): Promise<void> {
  const running = whenQueueIdle(thing).then(run)
  const settled = running.catch(() => {})
  lastOf.set(thing, settled)
  await running.finally(() => lastOf.get(thing) === settled && lastOf.delete(thing))
}

/** When all that was begun before has its answer. */
export const whenQueueIdle = (thing: string): Promise<unknown> => lastOf.get(thing) ?? Promise.resolve()

export const isQueueBusy = (thing: string): boolean => lastOf.has(thing)
