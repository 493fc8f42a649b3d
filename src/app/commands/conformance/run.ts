import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { OperatorError, oneLine } from '../command.ts'
import { Progress } from '../progress.ts'
import { GROUPS } from './cases/index.ts'
import type { ConformanceOptions } from './options.ts'
import type { Group } from './suite/case.ts'
import { SuiteRun } from './suite/case-run.ts'
import { Client, Unanswered } from './suite/client.ts'
import { Leftovers, readJson } from './suite/leftovers.ts'
import { Receiver } from './suite/receiver.ts'
import { isKept, jsonOf, linesOf, type Report } from './suite/report.ts'
import { runGroups } from './suite/runner.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export async function runConformance(options: ConformanceOptions, print: (line: string) => void) {
  if (options.isList) return printList(options, print)
  const stop = new AbortController()
  // Asked again it ends at once.
  const end = new AbortController()
  const onSignal = () => (stop.signal.aborted ? end : stop).abort()
  for (const signal of SIGNALS) process.on(signal, onSignal)
  try {
    const report = await runSuite(options, { stop: stop.signal, end: end.signal })
    if (options.isJson) print(JSON.stringify(jsonOf(report)))
    else for (const line of linesOf(report)) print(line)
    if (!isKept(report)) process.exitCode = 1
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
}

/** `stop` ends the cases, and what they have made is deleted; `end` ends that, too. */
export async function runSuite(
  options: ConformanceOptions,
  { stop, end }: { readonly stop: AbortSignal; readonly end: AbortSignal },
): Promise<Report> {
  const { url, key, rate, timeoutMs } = options
  const chosen = chosenGroups(options)
  const client = new Client({ baseUrl: url, key, rate, timeoutMs, stop, end })
  await requireServer(client, url)
  const receiver = new Receiver()
  const tag = randomBytes(5).toString('hex')
  const leftovers = new Leftovers(client, tag)
  const progress = new Progress()
  try {
    const world = new SuiteRun({
      ...{ client, leftovers, tag, receiver, timeoutMs, signal: stop },
      ...{ from: options.from, smtp: options.smtp, otherKey: options.otherKey, receiveAt: options.receiveAt },
      webhookUrl: await listen(receiver, options),
    })
    const all = chosen.reduce((sum, { cases }) => sum + cases.length, 0)
    let done = 0
    const groups = await runGroups(chosen, world, { begin: ({ title }) => progress.show(title, done++, all) })
    progress.show('Cleaning up', 0)
    const leftBehind = await leftovers.remove(end)
    return {
      ...{ url, groups, leftBehind, stays: leftovers.stays, requests: client.requests, isStopped: stop.aborted },
    }
  } finally {
    progress.end()
    receiver.close()
  }
}

/** One line instead of a table of failures, where the address or the key is wrong. */
async function requireServer(client: Client, url: string) {
  try {
    const { status, headers, text } = await client.send({ method: 'GET', path: '/emails?limit=1' })
    const body = readJson(text)
    if (status === 401 || status === 403)
      throw new OperatorError(
        `The server refuses the API key: ${short(body?.message ?? status).replace(/\.$/, '')}. It needs full access.`,
      )
    const location = headers.get('location')
    if (location !== null && status >= 300 && status < 400)
      throw new OperatorError(
        `${url} leads elsewhere, and a key is for one server. Give its own address: ${short(location)}`,
      )
    // Some have no list of emails; all send.
    if (body !== undefined || readJson((await client.send({ method: 'POST', path: '/emails', body: {} })).text)) return
    const type = headers.get('content-type') ?? 'nothing'
    throw new OperatorError(`${url} is not a server of this API: GET /emails answers ${status} with ${short(type)}.`)
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error
    throw new OperatorError(`${url} does not answer: ${short(error.message)}.`)
  }
}

/** What a server says, for a line on a terminal. */
const short = (said: unknown) => oneLine(String(said)).slice(0, 200)

/** Null: the server is elsewhere, and nobody has said how it reaches this machine. */
async function listen(
  receiver: Receiver,
  { url, webhookUrl, webhookPort }: ConformanceOptions,
): Promise<string | null> {
  if (webhookUrl === null && !isLocal(new URL(url).hostname)) return null
  try {
    const port = await receiver.listen({ port: webhookPort, isPublic: webhookUrl !== null })
    return webhookUrl ?? `http://127.0.0.1:${port}`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(`The receiver of webhooks cannot listen on port ${webhookPort} (${code}).`)
  }
}

const isLocal = (host: string) =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))

/** By groups, or by single cases of them. */
function chosenGroups({ only }: ConformanceOptions): readonly Group[] {
  if (only.length === 0) return GROUPS
  const isKnown = (id: string) => GROUPS.some((group) => group.id === id || group.cases.some((one) => one.id === id))
  const unknown = only.find((id) => !isKnown(id))
  if (unknown !== undefined)
    throw new OperatorError(`There is no group \`${unknown}\`. There are ${GROUPS.map(({ id }) => id).join(', ')}.`)
  return GROUPS.map((group) =>
    only.includes(group.id) ? group : { ...group, cases: group.cases.filter(({ id }) => only.includes(id)) },
  ).filter(({ cases }) => cases.length > 0)
}

function printList(options: ConformanceOptions, print: (line: string) => void) {
  const groups = chosenGroups(options)
  if (options.isJson) {
    const data = groups.flatMap(({ id: group, cases }) =>
      cases.map(({ id, title, operation }) => ({ group, id, title, operation })),
    )
    return print(JSON.stringify({ object: 'list', data }))
  }
  for (const { id, title, cases } of groups) {
    print(`${id}: ${title}`)
    for (const one of cases) print(`  ${one.id.padEnd(34)} ${one.title}${one.operation ? ` (${one.operation})` : ''}`)
  }
}
