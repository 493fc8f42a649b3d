import { createHash } from 'node:crypto'
import { MAX_DOCUMENT_BYTES, MAX_DOCUMENT_DEPTH, MAX_DOCUMENT_NODES } from '../limits.ts'
import { schema } from './document.ts'
import { EXAMPLES } from './examples.ts'

/** What each node is for. A node without a line here is described by its name alone. */
const PURPOSES: Readonly<Record<string, string>> = {
  doc: 'The document. One `globalContent` if there is any, then one `container` with all blocks.',
  globalContent:
    'Settings of the whole email in `data`: `theme` ("basic" or "minimal"), `css` (added to the head; the place for `@media (prefers-color-scheme: dark)` rules, by class), `preview` (preview text of a template; a broadcast has its own field), `styles` (panels of the theme; keep what is there).',
  container: 'The column of the email, 600 px wide and centered.',
  section: 'A group of blocks with its own padding or background.',
  div: 'A group of blocks without padding.',
  body: 'From imported HTML. Prefer `section`.',
  paragraph: 'Text.',
  heading: 'A heading; `level` 1 to 3.',
  text: 'Text, with `marks`. Never empty.',
  hardBreak: 'A line break inside of a paragraph.',
  bulletList: 'A list.',
  orderedList: 'A numbered list, from `start`.',
  listItem: 'Begins with a paragraph; may contain a list.',
  blockquote: 'A quotation.',
  codeBlock: 'Code as text, highlighted by `language` (such as "javascript", "bash", "json").',
  horizontalRule: 'A divider.',
  button:
    'A link that looks like a button: `href`, `alignment` ("left", "center" or "right"), and text as its content.',
  image:
    'An image: `src` (https), `alt`, `width` and `height` in pixels or "auto", `alignment`, `href` if it is a link.',
  variable: 'A value of the recipient: `name`, and `fallback` for those who have none.',
  twoColumns: 'Exactly two columns.',
  threeColumns: 'Exactly three columns.',
  fourColumns: 'Exactly four columns.',
  columnsColumn: 'One column. Give each a `style` with its width, such as "width:50%;vertical-align:top".',
  table: 'A table of data.',
  tableRow: 'A row.',
  tableCell: 'A cell, with blocks in it.',
  tableHeader: 'A header cell, with blocks in it.',
  previewText: 'Has no effect. Use `preview` of `globalContent`.',
}

const MARK_PURPOSES: Readonly<Record<string, string>> = {
  bold: 'Bold.',
  italic: 'Italic.',
  underline: 'Underlined.',
  strike: 'Struck through.',
  code: 'Inline code.',
  sup: 'Superscript.',
  uppercase: 'Capitals.',
  link: 'A link: `href` (https, mailto, tel, or a variable such as "{{{RESEND_UNSUBSCRIBE_URL}}}").',
  preservedStyle: 'Inline CSS of some text in `style`, such as "color:#d00".',
}

interface Described {
  readonly attrs?: Readonly<Record<string, { readonly default?: unknown }>> | undefined
  readonly content?: string | undefined
}

function line(name: string, { attrs = {}, content }: Described, purpose: string | undefined): string {
  const names = Object.entries(attrs).map(([attribute, { default: value }]) =>
    value === undefined || value === null || value === '' || typeof value === 'object'
      ? `\`${attribute}\``
      : `\`${attribute}\` (${JSON.stringify(value)})`,
  )
  const parts = [
    ...(content ? [`content: \`${content}\``] : []),
    ...(names.length > 0 ? [`attrs: ${names.join(', ')}`] : []),
  ]
  return `- \`${name}\`: ${purpose ?? 'See its name.'}${parts.length > 0 ? ` (${parts.join('; ')})` : ''}`
}

const nodes = () =>
  Object.entries(schema.nodes)
    .map(([name, { spec }]) => line(name, spec as Described, PURPOSES[name]))
    .join('\n')

const marks = () =>
  Object.entries(schema.marks)
    .map(([name, { spec }]) => line(name, spec as Described, MARK_PURPOSES[name]))
    .join('\n')

/** What a program needs to know that writes documents. Nodes, their content and attributes are read from the schema. */
export function describeSchema(): { data: string; version: string } {
  const data = `# The document of an email

An email is a TipTap document: JSON of nodes \`{"type", "attrs", "content"}\`; text nodes are \`{"type": "text", "text", "marks"}\`. It is composed into HTML that email clients show, and into plain text.

## Rules

- The first node is \`doc\`. Its blocks are inside of one \`container\`.
- Use only the nodes and marks below; others are refused with their names. Attributes that a node does not have are dropped. Leave out attributes that you do not need.
- Read the existing document first, and keep what you were not asked to change, with its attributes.
- \`style\` is inline CSS as text: "padding:16px;background-color:#f4f4f5". No flexbox, no grid: many email clients do not have them. Set only what differs from the theme.
- Every image has an \`alt\`. Every link and button has an \`href\`.
- At most ${MAX_DOCUMENT_BYTES / 1024} kB of JSON, ${MAX_DOCUMENT_NODES} nodes and marks, ${MAX_DOCUMENT_DEPTH} levels. Gmail clips emails whose HTML has more than 102 kB.

## Variables

A \`variable\` node is filled in when the email is sent. In text and in links \`{{{NAME}}}\` and \`{{{NAME|fallback}}}\` do the same.

- Template: names of your own, letters, digits and \`_\`. Those that are new are declared when the document is saved.
- Broadcast: \`FIRST_NAME\`, \`LAST_NAME\`, \`EMAIL\`, \`contact.…\` for properties, and \`RESEND_UNSUBSCRIBE_URL\`. Every broadcast needs a link to \`{{{RESEND_UNSUBSCRIBE_URL}}}\`.

## Nodes

\`content\` is what may be inside: \`+\` is one or more, \`*\` any number. \`block\` is any block, \`inline\` is text, \`hardBreak\` and \`variable\`.

${nodes()}

## Marks

${marks()}

## Examples

${EXAMPLES.map(({ title, content }) => `### ${title}\n\n\`\`\`json\n${JSON.stringify(content)}\n\`\`\``).join('\n\n')}
`
  return { data, version: createHash('sha256').update(data).digest('hex').slice(0, 12) }
}
