import { type Client, Unanswered } from './client.ts'
import type { OperationId } from './operations.ts'
import { withinTime } from './time-limit.ts'

// Whatever the server says that it has made is deleted in the end, also what it should have refused.

// biome-ignore lint/suspicious/noExplicitAny: whatever a server may answer
type Json = any

interface Removal {
  /** The list in which it is found again, if nobody knows whether it was made. */
  readonly list?: string
  /** What to call for an answer that says that it was made. */
  remove(body: Json, request: Json): readonly string[]
}

const byId = (folder: string): Removal => ({
  list: folder,
  remove: (body) => (typeof body?.id === 'string' ? [`DELETE ${folder}/${body.id}`] : []),
})

const idsIn = (body: Json): string[] =>
  (Array.isArray(body?.data) ? body.data : [body])
    .map((item: Json) => item?.id)
    .filter((id: unknown) => typeof id === 'string')

const isScheduled = (request: Json) =>
  (Array.isArray(request) ? request : [request]).some((item: Json) => item?.scheduled_at)

/** An email stays: the contract cannot delete one. One that is still to be sent is canceled. */
const canceled: Removal = {
  remove: (body, request) => (isScheduled(request) ? idsIn(body).map((id) => `POST /emails/${id}/cancel`) : []),
}

const REMOVALS: Partial<Record<OperationId, Removal>> = {
  'POST /emails': canceled,
  'POST /emails/batch': canceled,
  'POST /domains': byId('/domains'),
  'POST /domains/claim': {
    remove: (body) => (typeof body?.domain_id === 'string' ? [`DELETE /domains/${body.domain_id}`] : []),
  },
  'POST /api-keys': byId('/api-keys'),
  'POST /templates': byId('/templates'),
  'POST /templates/:id/duplicate': byId('/templates'),
  'POST /broadcasts': byId('/broadcasts'),
  'POST /broadcasts/:id/duplicate': byId('/broadcasts'),
  'POST /contacts': byId('/contacts'),
  'POST /audiences/:id/contacts': byId('/contacts'),
  'POST /segments': byId('/segments'),
  'POST /audiences': byId('/segments'),
  'POST /topics': byId('/topics'),
  'POST /contact-properties': byId('/contact-properties'),
  'POST /suppressions': byId('/suppressions'),
  'POST /suppressions/batch/add': {
    list: '/suppressions',
    remove: (body) => idsIn(body).map((id) => `DELETE /suppressions/${id}`),
  },
  'POST /webhooks': byId('/webhooks'),
  'POST /automations': byId('/automations'),
  'POST /automations/:id/duplicate': byId('/automations'),
  'POST /events': byId('/events'),
  'POST /inboxes': byId('/inboxes'),
}

const CLEAN_UP_MS = 120_000
const PAGE = 100

export interface LeftBehind {
  readonly what: string
  readonly why: string
}

export class Leftovers {
  readonly #client: Client
  /** In every name and address of this run. */
  readonly #tag: string
  /** By whose key; undefined: that of the run. */
  readonly #removals = new Map<string, string | undefined>()
  readonly #unsure = new Set<string>()
  readonly #gone = new Set<string>()
  readonly #sent = new Set<string>()
  /** What the contract cannot delete: emails that the server has accepted, and broadcasts that were sent. */
  readonly stays = { emails: 0, broadcasts: 0 }

  constructor(client: Client, tag: string) {
    this.#client = client
    this.#tag = tag
  }

  /** `key`: of another account that has made it. */
  made(operation: OperationId, { body, request, key }: { body: Json; request: Json; key: string | undefined }) {
    if (operation === 'POST /emails' || operation === 'POST /emails/batch') this.stays.emails += idsIn(body).length
    for (const removal of REMOVALS[operation]?.remove(body, request) ?? []) this.#removals.set(removal, key)
  }

  /** By a name that nobody has told the suite: a contact that an import made. */
  remember(removal: string) {
    this.#removals.set(removal, undefined)
  }

  /** A request of which nobody knows whether it was done. */
  unsure(operation: OperationId) {
    const list = REMOVALS[operation]?.list
    if (list) this.#unsure.add(list)
  }

  /** The contract cannot delete what was sent; a server may. */
  sent(path: string) {
    this.#sent.add(path)
  }

  /** A case has deleted it itself. */
  removed(removal: string) {
    this.#gone.add(removal)
  }

  /** The latest first. Gives back what is still there, and why. */
  remove(signal: AbortSignal): Promise<LeftBehind[]> {
    return withinTime(CLEAN_UP_MS, signal, (limited) => this.#remove(limited))
  }

  async #remove(signal: AbortSignal): Promise<LeftBehind[]> {
    for (const list of this.#unsure) await this.#find(list, signal)
    const left: LeftBehind[] = []
    for (const [removal, key] of [...this.#removals].reverse()) {
      if (this.#gone.has(removal)) continue
      const why = await this.#try({ removal, key }, signal)
      const what = removal.replace(/^\S+ /, '')
      if (why === null) continue
      if (this.#sent.has(what)) this.stays.broadcasts++
      else left.push({ what, why })
    }
    return left
  }

  async #find(list: string, signal: AbortSignal) {
    const reply = await this.#client.send({ method: 'GET', path: `${list}?limit=${PAGE}` }, signal).catch(() => null)
    const items = readJson(reply?.text ?? '')?.data
    for (const item of Array.isArray(items) ? items : [])
      if (typeof item?.id === 'string' && JSON.stringify(item).includes(this.#tag))
        this.#removals.set(`DELETE ${list}/${item.id}`, undefined)
  }

  /** Null: it is gone. */
  async #try(
    { removal, key }: { readonly removal: string; readonly key: string | undefined },
    signal: AbortSignal,
  ): Promise<string | null> {
    if (this.#client.isSilent) return 'the server has stopped answering'
    const [method, path] = removal.split(' ') as [string, string]
    try {
      const { status, text } = await this.#client.send({ method, path, ...(key !== undefined && { key }) }, signal)
      if (status < 300 || status === 404) return null
      const message = readJson(text)?.message
      // What has been sent meanwhile cannot be canceled.
      if (method === 'POST' && status === 422) return null
      return typeof message === 'string' ? `${status}: ${message.slice(0, 200)}` : `the server answers ${status}`
    } catch (error) {
      return error instanceof Unanswered ? error.message : 'the clean-up was stopped'
    }
  }
}

export function readJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
