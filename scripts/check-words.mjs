// Part of `npm run check`: log lines begin with their component, and names are the trade's words. words-exceptions.json lists the names
// that may stay (`literal`: letters of an alphabet, cards on a page, walks over a tree) and those that are still to be renamed (`rename`).
// The second list only shrinks: a new metaphor fails, and so does an entry that nothing needs any more, which `--prune` removes.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './prepare.mjs'

/** What an operator greps for. A line of the log reads `component: what failed`. */
const COMPONENTS = [
  ...[
    'api keys',
    'automations',
    'blobs',
    'broadcasts',
    'clock',
    'config',
    'database',
    'delivery',
    'dns',
    'domains',
    'http',
  ],
  ...[
    'inbound',
    'inboxes',
    'jobs',
    'limits',
    'live feed',
    'logs',
    'mcp',
    'messages',
    'metrics',
    'oauth',
    'outbox',
    'people',
    'policies',
  ],
  ...[
    'presence',
    'processes',
    'proxy',
    'retention',
    'sandboxes',
    'service',
    'smtp',
    'teams',
    'tls',
    'tracing',
    'tracking',
    'wait',
    'webhooks',
  ],
]

/** Words that a reader of the field would not search for. Names of types, classes, functions, constants and files do without them. */
const METAPHORS = [
  ...[
    'affair',
    'borne',
    'card',
    'door',
    'happening',
    'ladder',
    'letter',
    'parted',
    'patience',
    'place',
    'room',
    'rung',
  ],
  ...['shelf', 'shelves', 'stranger', 'told', 'unshaken', 'walk', 'wish', 'wishes'],
]

/** Limits are `MAX_…` and `MIN_…`. */
const LIMIT_PREFIXES = ['most', 'longest', 'furthest']

const EXCEPTIONS_FILE = join(root, 'scripts', 'words-exceptions.json')

const LOG_CALL =
  /\b\w*[lL]og\??(?:\.(?:debug|info|warn|error|fatal)|\[[^\]]*\])\(|\bnew (?:RepeatedErrors|LoopShell)\(/g
const DECLARATION =
  /^ *(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?:interface|type|class|enum|function\*?) (\w+)/gm
const CONSTANT = /^(?:export )?(?:const|let) (\w+)/gm
const LITERAL = /^(['"`])(.*)\1$/s

/** The messages of a file that do not begin with a component. */
export function nameless(text) {
  const faults = []
  for (const { index, 0: call } of text.matchAll(LOG_CALL)) {
    const message = lastArgument(text, index + call.length)
    // Of a choice both are messages. What is no literal was made by somebody whose literal is checked.
    for (const one of message.split(/\s[?:]\s+(?=['"`])/)) {
      const words = LITERAL.exec(one.trim())?.[2]
      if (words !== undefined && !isNamed(words, call)) faults.push({ line: lineOf(text, index), what: words })
    }
  }
  return faults
}

/** `${name}: …` is as good: whoever chose the name is checked. A worker's shell is given the component alone. */
function isNamed(words, call) {
  if (call.endsWith('LoopShell(')) return COMPONENTS.includes(words)
  return words.startsWith('${')
    ? /^\$\{[^}]*\}(?:: | again$)/.test(words)
    : COMPONENTS.some((one) => words.startsWith(`${one}: `))
}

/** The names that a file declares and that have a metaphor in them, or a limit that is not called one. */
export function metaphors(text) {
  const declared = [...text.matchAll(DECLARATION), ...text.matchAll(CONSTANT)]
  return declared
    .filter(([, name]) => isMetaphor(name))
    .map(({ index, 1: name }) => ({ line: lineOf(text, index), what: name }))
}

function isMetaphor(name) {
  const words = name.split(/[^a-zA-Z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase())
  if (/^[A-Z]+_/.test(name) && LIMIT_PREFIXES.includes(words[0])) return true
  return words.some((word) => METAPHORS.includes(word) || METAPHORS.includes(word.replace(/s$/, '')))
}

const lineOf = (text, index) => text.slice(0, index).split('\n').length

function lastArgument(text, from) {
  let depth = 1
  let start = from
  let last = ''
  for (let at = from; depth > 0 && at < text.length; at++) {
    const character = text[at]
    if ('\'"`'.includes(character)) at = endOfLiteral(text, at)
    else if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character)) depth--
    if ((character === ',' && depth === 1) || depth === 0) {
      last = text.slice(start, at).trim() || last
      start = at + 1
    }
  }
  return last
}

function endOfLiteral(text, from) {
  let at = from + 1
  while (at < text.length && text[at] !== text[from]) at += text[at] === '\\' ? 2 : 1
  return at
}

const filesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => join(folder, name))

function check() {
  const { literal, rename } = JSON.parse(readFileSync(EXCEPTIONS_FILE, 'utf8'))
  const exceptions = [...literal, ...rename]
  const needed = new Set()
  const faults = []
  for (const file of [...filesIn('src'), ...filesIn('dashboard/src')]) {
    const text = readFileSync(join(root, file), 'utf8')
    const fileName = basename(file)
    const names = [...metaphors(text), ...(isMetaphor(fileName) ? [{ line: 1, what: fileName }] : [])]
    for (const { line, what } of names)
      if (exceptions.includes(what)) needed.add(what)
      else
        faults.push(
          `${file}:${line} ${what}: name it by the trade's word (${METAPHORS.join(', ')} and ${LIMIT_PREFIXES.join('_, ').toUpperCase()}_ are not)`,
        )
    if (file.startsWith('src'))
      for (const { line, what } of nameless(text))
        faults.push(`${file}:${line} '${what}': begin it with its component (${COMPONENTS.join(', ')})`)
  }
  const left = (names) => names.filter((name) => needed.has(name))
  if (process.argv.includes('--prune'))
    writeFileSync(EXCEPTIONS_FILE, `${JSON.stringify({ literal: left(literal), rename: left(rename) }, null, 2)}\n`)
  else
    for (const name of exceptions)
      if (!needed.has(name)) faults.push(`${name} is gone: run node scripts/check-words.mjs --prune`)
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exit(1)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) check()
