/** They speak about one connection, and there are two of them here. */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
])

/** Headers as they came, name and value in turn, without those of the connection. */
function endToEnd(raw: readonly string[], connection: string | undefined): string[] {
  const named = new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  const kept: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase()
    if (!HOP_BY_HOP.has(name) && !named.has(name)) kept.push(raw[index]!, raw[index + 1]!)
  }
  return kept
}

interface Received {
  readonly rawHeaders: string[]
  readonly headers: NodeJS.Dict<string | string[]>
}

/** What the upstream is sent: what the client sent, and the upstream's name for its host. */
export function requestHeadersFor(request: Received & { method?: string | undefined }, host: string): string[] {
  const { headers, method = 'GET' } = request
  const kept = endToEnd(request.rawHeaders, headers.connection as string | undefined)
  const named: string[] = ['Host', host]
  for (let index = 0; index < kept.length; index += 2)
    if (kept[index]!.toLowerCase() !== 'host') named.push(kept[index]!, kept[index + 1]!)
  if (headers['transfer-encoding'] !== undefined) named.push('Transfer-Encoding', 'chunked')
  // Without it Node would announce a body for these methods.
  else if (headers['content-length'] === undefined && ['POST', 'PUT', 'PATCH'].includes(method))
    named.push('Content-Length', '0')
  return named
}

export const answerHeadersOf = ({ rawHeaders, headers }: Received): string[] =>
  endToEnd(rawHeaders, headers.connection as string | undefined)

/** Some of them by name, for the mirror. */
export function pick(headers: NodeJS.Dict<string | string[]>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])))
}
