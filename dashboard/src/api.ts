/** What the API says when it refuses. */
export class ApiProblem extends Error {
  readonly status: number

  constructor(status: number, name: string, message: string) {
    super(message)
    this.status = status
    this.name = name
  }
}

export interface ListReply<Item> {
  readonly object: 'list'
  readonly has_more: boolean
  readonly data: readonly Item[]
}

/** The header says that this page asks and not another one: the session cookie counts only together with it. */
const HEADERS = { 'x-postwren-dashboard': '1' }

type Query = Readonly<Record<string, string | number | undefined>>

export const api = {
  get: <Reply>(path: string, query: Query = {}) => call<Reply>('GET', `${path}${queryText(query)}`),
  post: <Reply>(path: string, body?: unknown) => call<Reply>('POST', path, body),
  patch: <Reply>(path: string, body?: unknown) => call<Reply>('PATCH', path, body),
  delete: <Reply>(path: string) => call<Reply>('DELETE', path),
  upload: <Reply>(path: string, form: FormData) => send<Reply>(path, { method: 'POST', body: form, headers: HEADERS }),
}

function call<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
  const isGiven = body !== undefined
  return send(path, {
    method,
    headers: { ...HEADERS, ...(isGiven && { 'content-type': 'application/json' }) },
    ...(isGiven && { body: JSON.stringify(body) }),
  })
}

async function send<Reply>(path: string, request: RequestInit): Promise<Reply> {
  const reply = await fetch(path, request).catch(() => {
    throw new ApiProblem(0, 'unreachable', 'The service does not answer. Is it running?')
  })
  const answer = await reply.json().catch(() => null)
  if (reply.ok) return answer as Reply
  const { name = 'error', message = `The service answered ${reply.status}.` } = answer ?? {}
  throw new ApiProblem(reply.status, name, message)
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** Signed downloads name the public address; this page may be open under another one, and asks there. */
export const onThisHost = (url: string) => {
  const { pathname, search } = new URL(url, location.href)
  return `${pathname}${search}`
}
