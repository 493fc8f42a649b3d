import { getSchemaByResolvedExtensions, resolveExtensions } from '@tiptap/core'
import { Node } from '@tiptap/pm/model'
import * as components from 'react-email'
import { EMAIL_EXTENSIONS, VARIABLE_NAME } from '../../../mail/editor-extensions.ts'
import { MAX_DOCUMENT_DEPTH, MAX_DOCUMENT_NODES } from '../limits.ts'
import { DocumentRefusal } from './refusal.ts'

export interface DocumentNode {
  readonly type: string
  readonly attrs?: Readonly<Record<string, unknown>>
  readonly content?: readonly DocumentNode[]
  readonly marks?: readonly DocumentNode[]
  readonly text?: string
}

export const extensions = resolveExtensions(EMAIL_EXTENSIONS)
export const schema = getSchemaByResolvedExtensions(extensions)

/** What a link or a picture of an email may name: addresses of the web, of people, and places in the mail itself. */
const SAFE_URL = /^(?:(?:https?|mailto|tel|sms|cid):|[#/?.]|\{\{\{|$)/i
const URL_ATTRIBUTES = ['href', 'src']

/** One that has no scheme is the path or the name of something. Blanks and control characters hide schemes from those who look for them. */
export function isSafeUrl(url: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const bare = url.replace(/[\s\0-\x1f]/g, '')
  return SAFE_URL.test(bare) || !/^[^/?#{]*:/.test(bare)
}

/**
 * The document as the schema has it: unknown attributes are removed, and nodes outside a container are put into one, as the
 * editor in a browser does. Refuses unknown nodes and documents that cannot be composed.
 */
export function readDocument(content: unknown): Node {
  const nodes = checkNodes(content)
  if ((content as DocumentNode).type !== 'doc') throw new DocumentRefusal('The first node must be `doc`.')
  for (const check of nodes) check()
  const { content: blocks = [], ...doc } = content as DocumentNode
  try {
    const node = Node.fromJSON(schema, { ...doc, content: inContainer(blocks) })
    node.check()
    return node
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new DocumentRefusal(`${error.message.slice(0, 300)}.`)
  }
}

function inContainer(blocks: readonly DocumentNode[]): readonly DocumentNode[] {
  const global = blocks.filter(({ type }) => type === 'globalContent').slice(0, 1)
  const rest = blocks.filter(({ type }) => type !== 'globalContent')
  if (rest.some(({ type }) => type === 'container')) return [...global, ...rest]
  return [...global, { type: 'container', content: rest.length > 0 ? rest : [{ type: 'paragraph' }] }]
}

/** Walks through all nodes and marks without recursion. Names all that are unknown at once; the other checks come after that. */
function checkNodes(content: unknown): (() => void)[] {
  const unknown = new Set<string>()
  const checks: (() => void)[] = []
  const waiting: { value: unknown; depth: number; known: object }[] = [
    { value: content, depth: 1, known: schema.nodes },
  ]
  for (let count = 1; waiting.length > 0; count++) {
    const { value, depth, known } = waiting.pop()!
    if (count > MAX_DOCUMENT_NODES) throw new DocumentRefusal(`It has more than ${MAX_DOCUMENT_NODES} nodes and marks.`)
    if (depth > MAX_DOCUMENT_DEPTH)
      throw new DocumentRefusal(`It is nested more than ${MAX_DOCUMENT_DEPTH} levels deep.`)
    const node = requireNode(value)
    if (!Object.hasOwn(known, node.type)) unknown.add(node.type)
    checks.push(() => checkAttributes(node))
    for (const inner of node.content ?? []) waiting.push({ value: inner, depth: depth + 1, known: schema.nodes })
    for (const mark of node.marks ?? []) waiting.push({ value: mark, depth: depth + 1, known: schema.marks })
  }
  if (unknown.size > 0) throw new DocumentRefusal(`Unknown nodes or marks: ${listed(unknown)}.`)
  return checks
}

const listed = (names: Iterable<string>) =>
  [...names]
    .slice(0, 20)
    .map((name) => `\`${name.slice(0, 50)}\``)
    .join(', ')

function requireNode(value: unknown): DocumentNode {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  const node = value as DocumentNode
  const isNode =
    isRecord &&
    typeof node.type === 'string' &&
    [node.content, node.marks].every((list) => list === undefined || Array.isArray(list)) &&
    (node.attrs === undefined || node.attrs === null || (typeof node.attrs === 'object' && !Array.isArray(node.attrs)))
  if (!isNode)
    throw new DocumentRefusal('Every node and mark is an object with a `type`, and its `attrs` are an object.')
  return node
}

function checkAttributes({ type, attrs }: DocumentNode) {
  for (const [name, value] of Object.entries(attrs ?? {})) {
    if (type === 'globalContent' && name === 'data') checkGlobalContent(value)
    else if (typeof value === 'object' && value !== null) throw refused(type, name, 'It must be text or a number.')
    if (URL_ATTRIBUTES.includes(name) && typeof value === 'string' && !isSafeUrl(value))
      throw refused(type, name, 'Links may begin with `https:`, `http:`, `mailto:`, `tel:` or `sms:`.')
  }
  CHECKS[type]?.(attrs ?? {})
}

const refused = (type: string, name: string, reason: string) =>
  new DocumentRefusal(`Invalid \`${name}\` of a \`${type}\`. ${reason}`)

const THEMES = new Set(
  Object.entries(components).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && 'base' in value ? [name] : [],
  ),
)

const { render: renderCode } = components.CodeBlock as unknown as { render(props: object, ref: null): unknown }

/** What `CodeBlock` of React Email knows: it throws when it meets another. Beside the languages it has a function to make more of them. */
function isKnownLanguage(language: string): boolean {
  if (!/^[a-z][a-z0-9-]*$/.test(language) || language === 'extend' || language in Object.prototype) return false
  try {
    renderCode({ code: '', language, theme: { base: {} } }, null)
    return true
  } catch {
    return false
  }
}

const CHECKS: Readonly<Record<string, (attrs: Readonly<Record<string, unknown>>) => void>> = {
  heading({ level = 1 }) {
    if (![1, 2, 3, 4, 5, 6].includes(level as number)) throw refused('heading', 'level', 'It must be 1 to 6.')
  },
  orderedList({ start }) {
    if (start !== undefined && start !== null && !Number.isSafeInteger(start))
      throw refused('orderedList', 'start', 'It must be a whole number.')
  },
  codeBlock({ language, theme }) {
    if (language && !isKnownLanguage(String(language)))
      throw refused('codeBlock', 'language', `\`${String(language).slice(0, 50)}\` is not known.`)
    if (theme && theme !== 'default' && !THEMES.has(String(theme)))
      throw refused('codeBlock', 'theme', `\`${String(theme).slice(0, 50)}\` is not known.`)
  },
  variable({ name, fallback }) {
    if (typeof name !== 'string' || !VARIABLE_NAME.test(name))
      throw refused('variable', 'name', 'It must be letters, digits, `_` and `.`, at most 100.')
    if (fallback !== undefined && fallback !== null && typeof fallback !== 'string')
      throw refused('variable', 'fallback', 'It must be text.')
  },
}

/** What of the document belongs to no block: theme, styles, CSS and the preview text. */
export interface GlobalContent {
  readonly theme?: string
  readonly styles?: unknown
  readonly css?: string
  readonly preview?: string
}

function checkGlobalContent(data: unknown) {
  const reject = (reason: string) => refused('globalContent', 'data', reason)
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw reject('It must be an object.')
  const { theme, styles, css, preview } = data as Record<string, unknown>
  for (const [name, value] of Object.entries({ theme, css, preview }))
    if (value !== undefined && value !== null && typeof value !== 'string') throw reject(`\`${name}\` must be text.`)
  const isInput = (input: unknown) => {
    if (typeof input !== 'object' || input === null) return false
    const { prop, classReference, value } = input as Record<string, unknown>
    const isPlain = value === undefined || value === null || ['string', 'number'].includes(typeof value)
    return (
      (typeof prop === 'string' && [undefined, null].includes(classReference as never)) ||
      (typeof classReference === 'string' && isPlain)
    )
  }
  const isPanel = (panel: unknown) =>
    typeof panel === 'object' &&
    panel !== null &&
    'inputs' in panel &&
    Array.isArray(panel.inputs) &&
    panel.inputs.every(isInput)
  if (styles !== undefined && styles !== null && !(Array.isArray(styles) && styles.every(isPanel)))
    throw reject('`styles` must be a list of panels with `inputs`.')
}

/** The first node of its kind has it. */
export function globalContentOf(doc: Node): GlobalContent {
  let data: GlobalContent = {}
  doc.forEach((node) => {
    if (node.type.name === 'globalContent') data = (node.attrs.data as GlobalContent | null) ?? {}
  })
  return data
}
