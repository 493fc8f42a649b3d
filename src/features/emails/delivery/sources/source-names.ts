/** Watched by the processes that have the source: it is also how the others know that they have it. */
export const channelOf = (source: string) => `delivery-source-${source}`

const QUEUE_PREFIX = 'source '

/** Mail that is left to the processes with a source is parked under this name. */
export const queueOfSource = (source: string) => `${QUEUE_PREFIX}${source}`

/** The source that mail of a queue is left to. Null: it is the queue of a destination. */
export const sourceOfQueue = (queue: string | null) =>
  queue?.startsWith(QUEUE_PREFIX) ? queue.slice(QUEUE_PREFIX.length) : null
