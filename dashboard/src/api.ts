import type { InputOf, ReplyOf } from '../../src/http/contract.ts'
import type { Contracts } from '../../src/resources/index.ts'
import { chosenTeam } from './chosen-team.ts'
import { ROUTES } from './endpoints.ts'

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

/** One call of the API, by the endpoint's id: `call('contacts.update', { idOrEmail, body: { first_name } })`. */
export function call<Id extends EndpointId>(id: Id, input: Input<Id>): Promise<Reply<Id>> {
  const { body, ...parameters } = input as Parameters & { body?: unknown }
  const [method, pattern] = ROUTES[id].split(' ') as [string, string]
  return sendJson(method, addressOf(pattern, parameters), body)
}

/** A call whose body is a form with a file. */
export const upload = <Id extends EndpointId>(id: Id, form: FormData): Promise<Reply<Id>> => {
  const [method, path] = ROUTES[id].split(' ') as [string, string]
  return send(path, { method, body: form, headers: ownHeaders() })
}

export function sendJson<Answer>(method: string, address: string, body?: unknown): Promise<Answer> {
  const isGiven = body !== undefined
  return send(address, {
    method,
    headers: { ...ownHeaders(), ...(isGiven && { 'content-type': 'application/json' }) },
    ...(isGiven && { body: JSON.stringify(body) }),
  })
}

/** A call whose answer is a file, which the browser keeps under this name. */
export async function save<Id extends EndpointId>(id: Id, input: Input<Id>, name: string): Promise<void> {
  const [, pattern] = ROUTES[id].split(' ') as [string, string]
  const reply = await answered(addressOf(pattern, input as Parameters), { headers: ownHeaders() })
  const file = URL.createObjectURL(await reply.blob())
  Object.assign(document.createElement('a'), { href: file, download: name }).click()
  // Not before the browser has begun to keep it.
  setTimeout(() => URL.revokeObjectURL(file), 60_000)
}

const send = async <Answer>(address: string, request: RequestInit): Promise<Answer> =>
  (await answered(address, request)).json().catch(() => null)

async function answered(address: string, request: RequestInit): Promise<Response> {
  const reply = await fetch(address, request).catch(() => {
    throw new ApiProblem(0, 'unreachable', 'The service does not answer. Is it running?')
  })
  if (reply.ok) return reply
  const problem = await reply.json().catch(() => null)
  const { name = 'error', message = `The service answered ${reply.status}.` } = problem ?? {}
  throw new ApiProblem(reply.status, name, message)
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
