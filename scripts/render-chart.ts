import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'

// Renders the part of Helm's language that the chart keeps to, and refuses the rest: the manifests for kustomize are made from the chart, also where Helm is not
// installed. Where it is, a test holds both against each other.

export const CHART = 'deploy/helm/postwren'

/** One that Kubernetes takes. */
export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  data?: Record<string, string>
  spec?: { template?: { metadata: { annotations?: object }; spec: object } }
}

export const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)

/**
 * The objects of the chart with its default values, as plain manifests: without what is Helm's own, and without the settings, which kustomize makes from a
 * file, under another name when they change.
 */
export function plainManifests(): string {
  const manifests = manifestsIn(render()).filter(({ kind }) => kind !== 'ConfigMap')
  for (const { metadata, spec } of manifests) {
    delete metadata.annotations
    if (spec?.template?.metadata) delete spec.template.metadata.annotations
  }
  const text = manifests.map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false }))
  return `# Written from the chart in deploy/helm/postwren by \`npm run docs\`.\n${text.join('---\n')}`
}

export function render(changes: Record<string, unknown> = {}): string {
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))
  const root: Scope = {
    Values: { ...parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')), ...changes },
    Chart: { AppVersion: chart.appVersion },
    Release: { Namespace: 'postwren' },
  }
  const files = readdirSync(join(CHART, 'templates')).map((name) =>
    readFileSync(join(CHART, 'templates', name), 'utf8'),
  )
  return files.map((text) => renderBlock(tokensOf(text), { $: root }).text).join('\n---\n')
}

type Scope = Record<string, unknown>
/** Text, or what stands in braces. */
type Token = { text: string } | { action: string }

function tokensOf(text: string): Token[] {
  // `{{-` takes the white space before it, `-}}` what follows.
  const trimmed = text.replace(/\s*\{\{-/g, '{{').replace(/-\}\}\s*/g, '}}')
  return trimmed
    .split(/(\{\{.*?\}\})/)
    .map((part) => (part.startsWith('{{') ? { action: part.slice(2, -2).trim() } : { text: part }))
}

/** Renders up to the `end` of the block, and says what is left. */
function renderBlock(tokens: Token[], variables: Scope): { text: string; rest: Token[] } {
  let text = ''
  let rest = tokens
  while (rest.length > 0) {
    const [token, ...after] = rest as [Token, ...Token[]]
    rest = after
    if ('text' in token) text += token.text
    else if (token.action === 'end') return { text, rest }
    else if (/^(range|if) /.test(token.action)) {
      const scopes = scopesOf(token.action, variables)
      text += scopes.map((scope) => renderBlock(after, { ...variables, ...scope }).text).join('')
      rest = renderBlock(after, { ...variables, ...scopes[0] }).rest
    } else text += String(evaluate(token.action, variables))
  }
  return { text, rest }
}

function scopesOf(action: string, variables: Scope): Scope[] {
  const [, key, value, list] = /^range \$(\w+), \$(\w+) := (\S+)$/.exec(action) ?? []
  if (key && value && list) {
    const entries = Object.entries(read(list, variables) as Scope)
    // Helm goes through a map by its sorted keys.
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => ({ [key]: name, [value]: item }))
  }
  const [, condition] = /^if (\S+)$/.exec(action) ?? []
  if (!condition) throw new Error(`The chart keeps to simple blocks: ${action}`)
  return read(condition, variables) ? [{}] : []
}

const FUNCTIONS: Record<string, (value: unknown, argument: unknown) => unknown> = {
  quote: (value) => JSON.stringify(String(value)),
  default: (value, fallback) => value || fallback,
  toYaml: (value) => stringify(value).trimEnd(),
  sha256sum: (value) => createHash('sha256').update(String(value)).digest('hex'),
  nindent: (value, spaces) => `\n${String(value).replace(/^/gm, ' '.repeat(Number(spaces)))}`,
}

function evaluate(action: string, variables: Scope): unknown {
  const [first = '', ...calls] = action.split('|').map((part) => part.trim())
  const [, call, path = first] = /^(toYaml) (\S+)$/.exec(first) ?? []
  let value = read(path, variables)
  for (const [name, argument] of [...(call ? [[call]] : []), ...calls.map((text) => text.split(' '))]) {
    const apply = FUNCTIONS[name!]
    if (!apply) throw new Error(`The chart keeps to ${Object.keys(FUNCTIONS).join(', ')}: ${action}`)
    value = apply(value, argument?.startsWith('$') ? read(argument, variables) : argument)
  }
  return value
}

/** `.Values.a`, `$.Values.a`, `$role`, `$options.a`. */
function read(path: string, variables: Scope): unknown {
  const names = path.replace(/^\$\.|^\./, '$.').split('.')
  const [first = '', ...more] = names
  const start = first === '$' ? variables.$ : variables[first.slice(1)]
  return more.reduce<unknown>((value, name) => (value as Scope | undefined)?.[name], start)
}
