import { readFileSync, writeFileSync } from 'node:fs'
import { reasonsOf } from '../known.ts'
import type { Score } from '../score.ts'
import { SdkScore } from './output.ts'

const PAGE = 'docs/compatibility.md'
const CLIENTS = '## Clients'
const SDKS = '## SDKs of other languages'
const FRAMEWORKS = '## Frameworks'

const cells = (row: readonly (string | number)[]) => `| ${row.join(' | ')} |`

const first = (row: string) => row.split('|')[1]!.trim()

/** The rows of a table with those of this run in the place of older ones; the others stay, because not every machine has every language. */
export function mergeRows(old: readonly string[], news: readonly string[]): string[] {
  const rows = new Map([...old, ...news].map((row) => [first(row), row]))
  return [...rows.values()].sort((a, b) => first(a).localeCompare(first(b)))
}

/** The rows below the head of the first table in a section. */
export function rowsIn(page: string, title: string): string[] {
  const section = page.split(`${title}\n`)[1]?.split('\n## ')[0] ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
}

/** The page with a section in the place of the last one of this title, or at its end. */
export function withSection(page: string, title: string, body: string): string {
  const section = `${title}\n\n${body.trim()}\n`
  const begin = page.indexOf(`${title}\n`)
  if (begin < 0) return `${page.trimEnd()}\n\n${section}`
  const next = page.indexOf('\n## ', begin + title.length)
  return `${page.slice(0, begin)}${section}${next < 0 ? '' : page.slice(next)}`
}

const rightOf = ({ calls, wrong }: Score) => calls - wrong.length

/** What the page says beside the scores: packages by language, notes by framework. */
export interface Catalogue {
  readonly packages: Readonly<Record<string, string>>
  readonly notes: Readonly<Record<string, string>>
  /** Those that no machine has tried, and why. */
  readonly untried?: readonly { readonly name: string; readonly package: string; readonly why: string }[]
}

export function pageWith(page: string, scores: readonly Score[], { packages, notes, untried = [] }: Catalogue): string {
  const isSdk = (score: Score): score is SdkScore => score instanceof SdkScore
  const languageOf = ({ client }: Score) => client.replace('SDK for ', '')
  const sdks = scores.filter(isSdk).map((score) => {
    const name = languageOf(score)
    return cells([name, `\`${packages[name]}\``, score.version, score.methods, score.calls, rightOf(score)])
  })
  const others = scores
    .filter((score) => !isSdk(score))
    .map((score) => cells([score.client, score.version, rightOf(score) === score.calls ? 'right' : 'wrong']))
  const skipped = untried.map((one) => cells([one.name, `\`${one.package}\``, `skipped: ${one.why}`, '–', '–', '–']))
  const rows = mergeRows(skipped, [...rowsIn(page, SDKS), ...sdks])
  const reasons = rows.flatMap((row) =>
    reasonsOf(`SDK for ${first(row)}`).map((reason) => `- **${first(row)}**: ${reason}`),
  )
  const sdkBody = [
    'Every public method of the official SDK (Elixir: that of the community), unmodified, against a service started as a user starts it: replies are compared with what was made, refusals with the error types of the SDK, and webhooks are verified where it can. Made by `npm run clients -- languages --write`, on loopback; [the first mail in each language](languages.md).',
    '',
    cells(['language', 'package', 'version', 'methods', 'calls', 'right']),
    cells(['---', '---', '---', '---:', '---:', '---:']),
    ...rows,
    ...(reasons.length > 0 ? ['', 'What is not right, and why:', '', ...reasons] : []),
  ].join('\n')
  const frameworks = mergeRows(rowsIn(page, FRAMEWORKS), others)
  const remarks = frameworks.flatMap((row) => {
    const note = notes[first(row)]
    return note ? [`- **${first(row)}**: ${note}`] : []
  })
  const frameworkBody = [
    'Each sends one mail with HTML, text, copies, an address for replies, a header, an attachment, and tags where it has them, which is read back by the API.',
    '',
    cells(['framework', 'version', 'result']),
    cells(['---', '---', '---']),
    ...frameworks,
    ...(remarks.length > 0 ? ['', 'What their mailers do not pass on:', '', ...remarks] : []),
  ].join('\n')
  return withSection(withSection(page, SDKS, sdkBody), FRAMEWORKS, frameworkBody)
}

/** The page with what clients for Node made of the service: a row for each client and version. */
export function pageWithClients(page: string, scores: readonly Score[]): string {
  const rows = scores.map((score) =>
    cells([`${score.client} ${score.version}`, score.calls, rightOf(score), score.notBuilt]),
  )
  const body = [
    'The official SDK for Node, this version and older ones, the CLI, the MCP server, and what others have built on them, unmodified. Each method is called, with its answer held against the types of the SDK, each command run, each tool used. Made by `npm run clients -- --write`, on loopback.',
    '',
    cells(['client', 'calls', 'right', 'not built here']),
    cells(['---', '---:', '---:', '---:']),
    ...mergeRows(rowsIn(page, CLIENTS), rows),
    '',
    'What is not right is what the types of the SDK promise beyond what the service answers; `test/clients/known.ts` has each with its reason.',
  ].join('\n')
  return withSection(page, CLIENTS, body)
}

export function writePage(change: (page: string) => string) {
  writeFileSync(PAGE, change(readFileSync(PAGE, 'utf8')))
}
