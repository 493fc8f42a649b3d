import type { Contracts } from '../../src/features/index.ts'
import type { InputOf, ReplyOf } from '../../src/kernel/http/contract.ts'
import { chosenTeam } from './chosen-team.ts'
import { checkConnection, markReachable } from './connection.ts'
import { ENDPOINTS } from './endpoints.ts'
import { saveFile } from './save-file.ts'

export type EndpointId = keyof Contracts
// The id says what they are. Without NoInfer the compiler looks for an id, too, in whatever is given.
export type Input<Id extends EndpointId> = NoInfer<InputOf<Contracts[Id]>>
export type Reply<Id extends EndpointId> = NoInfer<ReplyOf<Contracts[Id]>>

/** Lists, all of which page in the same way. */
export type ListId = Extract<EndpointId, `${string}.list`> | 'broadcasts.recipients' | 'broadcasts.clicked-links'
export type Item<Id extends ListId> =
  Reply<Id> extends { data: readonly (infer One extends { id: string })[] } ? One : never

/** The first words of ids: `contacts` is all of `contacts.get`, `contacts.segments.list`… */
export type IdBeginning = EndpointId | FirstWords<EndpointId>
type FirstWords<Id> = Id extends `${infer First}.${infer Rest}` ? First | `${First}.${FirstWords<Rest>}` : never

/** What the API says when it refuses. */
export class ApiProblem extends Error {
  readonly status: number

  constructor(status: number, name: string, message: string) {
    super(message)
    this.status = status
    this.name = name
  }
}

/** The first says that this page asks and not another one: the session cookie counts only together with it. */
function ownHeaders(): Record<string, string> {
  const team = chosenTeam()
  return { 'x-postwren-dashboard': '1', ...(team !== null && { 'x-postwren-team': team }) }
}

/** Where a call is made, when it is not in the team itself. */
export interface Where {
  /** In one of its sandboxes, which has every endpoint that the team has. */
  readonly sandbox?: string | undefined
}

interface CallOptions extends Where {
  /** The same call under the same key is done once, however often it is made: for who does not know whether it arrived. */
  readonly key?: string
  /** Goes on when the page is closed. Browsers do that for up to 64 kB. */
  readonly keepalive?: boolean
  /** Ends it before there is an answer. */
  readonly signal?: AbortSignal
}

/** One call of the API, by the endpoint's id: `call('contacts.update', { idOrEmail, body: { first_name } })`. */
export function call<Id extends EndpointId>(id: Id, input: Input<Id>, options: CallOptions = {}): Promise<Reply<Id>> {
  const { method, address, body } = requestOf(id, input)
  return sendJson(method, below(options.sandbox, address), body, options)
}

const below = (sandbox: string | undefined, address: string) =>
  sandbox === undefined ? address : `/sandboxes/${encodeURIComponent(sandbox)}${address}`

function requestOf<Id extends EndpointId>(id: Id, input: Input<Id>) {
  const { body, ...parameters } = input as Parameters & { body?: unknown }
  const [method, pattern] = ENDPOINTS[id].route.split(' ') as [string, string]
  return { method, address: addressOf(pattern, parameters), body }
}

interface UploadOptions {
  /** How much of it has left, from 0 to 1. */
  readonly onProgress: (share: number) => void
  readonly signal: AbortSignal
}

/** A call with so much in its body that people want to see it go. Only XMLHttpRequest reports progress. */
export function callWithProgress<Id extends EndpointId>(
  id: Id,
  input: Input<Id>,
  { onProgress, signal }: UploadOptions,
): Promise<Reply<Id>> {
  const { method, address, body } = requestOf(id, input)
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    request.open(method, address)
    for (const [name, value] of Object.entries(ownHeaders())) request.setRequestHeader(name, value)
    request.setRequestHeader('content-type', 'application/json')
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => {
      const answer = readJson(request.responseText)
      if (request.status >= 200 && request.status < 300) resolve(answer as Reply<Id>)
      else reject(problemOf(request.status, answer))
    }
    request.onerror = () => reject(unreachable())
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(JSON.stringify(body))
  })
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A call whose body is a form with a file. */
export const upload = <Id extends EndpointId>(id: Id, form: FormData): Promise<Reply<Id>> => {
  const [method, path] = ENDPOINTS[id].route.split(' ') as [string, string]
  return send(path, { method, body: form, headers: ownHeaders() })
}

export function sendJson<Answer>(
  method: string,
  address: string,
  body?: unknown,
  { key, keepalive = false, signal }: CallOptions = {},
): Promise<Answer> {
  const isGiven = body !== undefined
  return send(address, {
    method,
    keepalive,
    headers: {
      ...ownHeaders(),
      ...(isGiven && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(isGiven && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}

/** A call whose answer is a file, which the browser keeps under this name. */
export async function save<Id extends EndpointId>(id: Id, input: Input<Id>, name: string): Promise<void> {
  const [, pattern] = ENDPOINTS[id].route.split(' ') as [string, string]
  const reply = await answered(addressOf(pattern, input as Parameters), { headers: ownHeaders() })
  saveFile(name, await reply.blob())
}

const send = async <Answer>(address: string, request: RequestInit): Promise<Answer> =>
  (await answered(address, request)).json().catch(() => null)

async function answered(address: string, request: RequestInit): Promise<Response> {
  const reply = await fetch(address, request).catch((error) => {
    throw request.signal?.aborted ? error : unreachable()
  })
  markReachable()
  if (reply.ok) return reply
  throw problemOf(reply.status, await reply.json().catch(() => null))
}

function unreachable() {
  void checkConnection()
  return new ApiProblem(0, 'unreachable', 'The service does not respond.')
}

function problemOf(status: number, answer: unknown): ApiProblem {
  const { name = 'error', message = `The service responded with status ${status}.` } = (answer ??
    {}) as Partial<ApiProblem>
  return new ApiProblem(status, name, message)
}

type Parameters = Readonly<Record<string, string | number | undefined>>

/** Parameters that the path has a place for go there; the others are the query. */
function addressOf(pattern: string, parameters: Parameters): string {
  const query = new Map(Object.entries(parameters))
  const path = pattern.replace(/:(\w+)/g, (_, name) => {
    query.delete(name)
    return encodeURIComponent(String(parameters[name]))
  })
  const given = [...query].filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0
    ? path
    : `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** Signed downloads name the public address; this page may be open under another one, and asks there. */
export const onThisHost = (url: string) => {
  const { pathname, search } = new URL(url, location.href)
  return `${pathname}${search}`
}
