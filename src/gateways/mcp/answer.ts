/** What a model can read without losing sight of what it was asked: some 6,000 tokens. */
const MAX_CHARACTERS = 25_000

/** How much is left of a text, in turns, until all of the answer fits. */
const TEXT_LIMITS = [4_000, 500, 80]

export interface Answer {
  readonly text: string
  /** Set: something was left out. Says what, and how to get it. */
  readonly note?: string
}

/**
 * The body of an answer as a model gets it. First long texts become shorter, like the html of an email; then a list loses its last
 * items; and what is still too long is cut.
 */
export function readable(body: string, isWhole = true): Answer {
  if (isWhole && body.length <= MAX_CHARACTERS) return { text: body }
  const value = isWhole ? parsed(body) : undefined
  if (value === undefined) return cut(body)
  let short: unknown = value
  for (const limit of TEXT_LIMITS) {
    short = shortened(value, limit)
    const text = JSON.stringify(short)
    if (text.length <= MAX_CHARACTERS)
      return {
        text,
        note: `Texts longer than ${limit} characters were truncated. The API and the dashboard have the full text.`,
      }
  }
  return fewer(short) ?? cut(body)
}

const cut = (body: string): Answer => ({
  text: body.slice(0, MAX_CHARACTERS).toWellFormed(),
  note: `Only the first ${MAX_CHARACTERS} characters are shown. Narrow the request, or use the API.`,
})

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function shortened(value: unknown, limit: number): unknown {
  if (typeof value === 'string') {
    if (value.length <= limit) return value
    return `${value.slice(0, limit).toWellFormed()}… (${value.length - limit} more characters)`
  }
  if (Array.isArray(value)) return value.map((one) => shortened(one, limit))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one, limit)]))
}

/** A list with as many of its items as fit. Null: it is none, or not even one fits. */
function fewer(value: unknown): Answer | null {
  const list = value as { data?: readonly { id?: unknown }[] } | null
  if (!Array.isArray(list?.data)) return null
  const items = list.data.map((item) => JSON.stringify(item).length + 1)
  const charactersLeft = MAX_CHARACTERS - JSON.stringify({ ...list, data: [] }).length
  let count = 0
  for (let taken = 0; taken + items[count]! <= charactersLeft; count++) taken += items[count]!
  if (count === 0) return null
  const last = list.data[count - 1]!.id
  return {
    text: JSON.stringify({ ...list, has_more: true, data: list.data.slice(0, count) }),
    note: `The first ${count} of ${items.length} items; long texts were shortened. ${
      typeof last === 'string'
        ? `For the next page, pass \`after\`: ${JSON.stringify(last)}.`
        : 'Ask for fewer with `limit`.'
    }`,
  }
}
