/** Longer ones are no names: RFC 5322 ends a line there. */
const MAX_ID_LENGTH = 998
/** The first one names the conversation, and the last ones who was answered. */
const MAX_IDS = 50

/** A field of all 50 has some 4 kB. Of what is longer the beginning and the end are read: an id that is cut in two has lost a bracket. */
const HEAD = 4_000
const TAIL = 60_000

const BRACKETED = /<([^<>\s]+)>/g

/** The Message-IDs in a field, each once and in its order. Some programs forget the brackets, and some write words around them. */
export function messageIdsIn(field: string): string[] {
  const isLong = field.length > HEAD + TAIL
  return idsIn(isLong ? `${field.slice(0, HEAD)} ${field.slice(-TAIL)}` : field)
}

function idsIn(field: string): string[] {
  const bracketed = [...field.matchAll(BRACKETED)].map(([, id]) => id!)
  const found = bracketed.length > 0 ? bracketed : field.split(/[\s<>,;]+/).filter((word) => word.includes('@'))
  return [...new Set(found.filter((id) => id.length <= MAX_ID_LENGTH).map((id) => `<${id}>`))]
}

/** The name that a message gives itself, in brackets; null: it has none that others could name. */
export function ownMessageId(field: string | null): string | null {
  const id = field?.trim() ?? ''
  const bare = /^<?([^<>]*)>?$/.exec(id)?.[1]?.trim() ?? ''
  return messageIdsIn(id)[0] ?? (bare !== '' && !/\s/.test(bare) && bare.length <= MAX_ID_LENGTH ? `<${bare}>` : null)
}

/** The Message-IDs that a message names, the oldest first. Of too many the first and the last count. */
export function referencesOf(references: readonly string[], inReplyTo: readonly string[]): string[] {
  const named = [...new Set([...references.flatMap(messageIdsIn), ...inReplyTo.flatMap(messageIdsIn)])]
  return named.length <= MAX_IDS ? named : [named[0]!, ...named.slice(1 - MAX_IDS)]
}
