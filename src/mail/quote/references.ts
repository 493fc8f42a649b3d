/** The headers that put a message behind another. */
export interface Behind {
  readonly messageId: string | null
  /** The Message-IDs that the other one names, the oldest first. */
  readonly references: readonly string[]
}

// As RFC 5322 has them, and short enough for a line of a header. What others write there may be anything.
const MESSAGE_ID = /^<[!-;=?-~]{1,900}>$/

const MAX_REFERENCES = 50
/** Custom headers may have 8,000 (`custom-header.ts`). */
const MAX_REFERENCES_LENGTH = 7_500

/** For a reply. Without a usable Message-ID there is nothing to name. */
export function replyHeaders(original: Behind): Record<string, string> {
  const name = messageIdOf(original)
  return name === null ? {} : { 'In-Reply-To': name, ...forwardHeaders(original) }
}

/** For a forward: it belongs to the conversation, and answers nobody. */
export function forwardHeaders(original: Behind): Record<string, string> {
  const references = referencesOf(original)
  return references.length === 0 ? {} : { References: references.join(' ') }
}

const messageIdOf = ({ messageId }: Behind) =>
  messageId !== null && MESSAGE_ID.test(messageId.trim()) ? messageId.trim() : null

/** The first, which is how the conversation began, and the last ones. */
function referencesOf(original: Behind): string[] {
  const name = messageIdOf(original)
  const named = original.references.map((one) => one.trim()).filter((one) => MESSAGE_ID.test(one) && one !== name)
  const all = [...new Set(named), ...(name === null ? [] : [name])]
  const [first, ...rest] = all
  if (first === undefined) return []
  const newest: string[] = []
  let charactersLeft = MAX_REFERENCES_LENGTH - first.length
  for (const one of rest.slice(1 - MAX_REFERENCES).reverse()) {
    charactersLeft -= one.length + 1
    if (charactersLeft < 0) break
    newest.unshift(one)
  }
  return [first, ...newest]
}
