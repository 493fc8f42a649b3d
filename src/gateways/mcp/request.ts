import { type Tool, WHOLE_BODY } from './tools.ts'

/** Arguments that make no request. The message is for the model. */
export class WrongArguments extends Error {}

export interface ToolRequest {
  readonly method: Tool['endpoint']['method']
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: string | Buffer
}

/** What an agent gets of a list when it does not say how much. Some lists are whole then, and none is of use to it. */
const USUAL_LIMIT = '20'

/** The request that a call of a tool stands for. What the endpoint checks is left to the endpoint. */
export async function requestFor(tool: Tool, given: Readonly<Record<string, unknown>>): Promise<ToolRequest> {
  const { endpoint, listed } = tool
  const known = Object.keys(listed.inputSchema.properties!)
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new WrongArguments(`There is no argument \`${unknown.slice(0, 100)}\`. ${namesIn(known)}`)
  return {
    method: endpoint.method,
    url: pathOf(tool, given) + queryOf(tool, given),
    ...(await bodyOf(tool, given)),
  }
}

const namesIn = (known: readonly string[]) =>
  known.length === 0 ? 'It takes none.' : `It takes ${known.map((name) => `\`${name}\``).join(', ')}.`

function pathOf({ endpoint: { path } }: Tool, given: Readonly<Record<string, unknown>>): string {
  return path.replace(/:(\w+)/g, (_match, name: string) => {
    const value = given[name]
    if (value === undefined) throw new WrongArguments(`Missing \`${name}\`.`)
    const text = textOf(name, value)
    // Any of these would be another path.
    if (['', '.', '..'].includes(text)) throw new WrongArguments(`The \`${name}\` must not be ${JSON.stringify(text)}.`)
    return encodeURIComponent(text)
  })
}

function queryOf({ query }: Tool, given: Readonly<Record<string, unknown>>): string {
  const asked = new URLSearchParams()
  for (const name of query) {
    const value = given[name] ?? (name === 'limit' ? USUAL_LIMIT : undefined)
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) asked.append(name, textOf(name, one))
  }
  return asked.size === 0 ? '' : `?${asked}`
}

async function bodyOf({ endpoint, body }: Tool, given: Readonly<Record<string, unknown>>) {
  if (!endpoint.body && !endpoint.upload) return { headers: {} }
  const fields = (body ?? []).filter((name) => given[name] !== undefined)
  if (endpoint.upload) return formOf(fields.map((name) => [name, given[name]]))
  const payload = body ? Object.fromEntries(fields.map((name) => [name, given[name]])) : given[WHOLE_BODY]
  return { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(payload ?? {}) }
}

/** A form as a browser sends it. Fields that are JSON in a form may be given as what they stand for. */
async function formOf(fields: readonly (readonly [string, unknown])[]) {
  const form = new FormData()
  for (const [name, value] of fields) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (name === 'file') form.set(name, new Blob([text], { type: 'text/csv' }), 'file.csv')
    else form.set(name, text)
  }
  const encoded = new Response(form)
  return {
    headers: { 'content-type': encoded.headers.get('content-type')! },
    payload: Buffer.from(await encoded.arrayBuffer()),
  }
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new WrongArguments(`The \`${name}\` must be a text.`)
}
