import { isFreeField, isIdField, isUuid } from './fields.ts'

const UUID_TEXT = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
/** A whole segment of a path, or one value of a query. */
const UUID_IN_PATH = new RegExp(`(?<=[/=,]|%2c)${UUID_TEXT.source}(?=$|[/?&,#]|%2c)`, 'gi')

/** More ids than this in one text are no ids of objects that somebody asks about. */
const MAX_IDS = 20_000

/** Every id that a text has. */
export function idsIn(...texts: readonly string[]): string[] {
  const found = new Set<string>()
  for (const text of texts)
    for (const [id] of text.matchAll(UUID_TEXT)) {
      if (found.size >= MAX_IDS) return [...found]
      found.add(id.toLowerCase())
    }
  return [...found]
}

/** A request of the application, as our side is to get it. */
export interface Rewritten {
  readonly path: string
  readonly body: Buffer
  /** Whether it names an object of the upstream that our side does not know. */
  readonly hasUnknownIds: boolean
}

interface Wanted {
  readonly path: string
  readonly body: Buffer
  readonly contentType: string
}

/** Puts our ids in the place of the upstream's, in the path, the query and the fields of the body that hold ids. */
export function rewriteRequest(
  { path, body, contentType }: Wanted,
  ourIdOf: (theirs: string) => string | undefined,
): Rewritten {
  const ids = new IdRewriter(ourIdOf)
  const ownPath = path.replace(UUID_IN_PATH, (id) => ids.replace(id))
  const ownBody = bodyFor(body, contentType, ids)
  return { path: ownPath, body: ownBody, hasUnknownIds: ids.hasUnknown }
}

function bodyFor(body: Buffer, contentType: string, ids: IdRewriter): Buffer {
  if (body.length === 0) return body
  if (/^multipart\//i.test(contentType))
    // Ids are as long as ids: no length changes. What is unknown may be any column of the file.
    return Buffer.from(
      body.toString('latin1').replace(UUID_TEXT, (id) => ids.replaceKnown(id)),
      'latin1',
    )
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    return body
  }
  const rewritten = ids.rewrite(value, '')
  return ids.hasChanged ? Buffer.from(JSON.stringify(rewritten)) : body
}

class IdRewriter {
  hasUnknown = false
  hasChanged = false
  readonly #ourIdOf: (theirs: string) => string | undefined

  constructor(ourIdOf: (theirs: string) => string | undefined) {
    this.#ourIdOf = ourIdOf
  }

  replace(id: string): string {
    const our = this.#ourIdOf(id.toLowerCase())
    if (our === undefined) this.hasUnknown = true
    else this.hasChanged = true
    return our ?? id
  }

  replaceKnown(id: string): string {
    return this.#ourIdOf(id.toLowerCase()) ?? id
  }

  rewrite(value: unknown, name: string): unknown {
    if (isFreeField(name)) return value
    if (isUuid(value)) return isIdField(name) || name === 'segments' || name === 'topics' ? this.replace(value) : value
    if (Array.isArray(value)) return value.map((item) => this.rewrite(item, name))
    if (typeof value !== 'object' || value === null) return value
    if (name === 'attachments') return this.#rewriteAttachment(value as Record<string, unknown>)
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, this.rewrite(inner, field)]))
  }

  /** Our side downloads nothing: a link that works once is the upstream's. */
  #rewriteAttachment(attachment: Record<string, unknown>) {
    const { path, ...rest } = attachment
    if (typeof path !== 'string' || !/^https?:\/\//i.test(path) || rest.content) return attachment
    this.hasChanged = true
    const filename = rest.filename ?? (path.split(/[?#]/, 1)[0]!.split('/').pop() || 'attachment')
    return { ...rest, filename, content: UNFETCHED }
  }
}

const UNFETCHED = Buffer.from('not downloaded by the shadow').toString('base64')
