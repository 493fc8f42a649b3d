import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { composeReactEmail } from '@react-email/editor/core'
import { Editor } from '@tiptap/core'
import { describe, expect, test } from 'vitest'
import { documentOf, paragraphOf, saying, textNode } from '../../../../test/harness/documents.ts'
import { EMAIL_EXTENSIONS } from '../../../mail/editor-extensions.ts'
import { compose } from './compose.ts'
import { schema } from './document.ts'
import { EXAMPLES } from './examples.ts'
import { documentFromHtml } from './from-html.ts'
import { BLOCKS } from './golden/blocks.ts'
import { describeSchema } from './prompt.ts'

const GOLDEN = join(import.meta.dirname, 'golden')
const isWriting = process.env.POSTWREN_TEST_GOLDEN === '1'

describe('every block has its html', () => {
  test.each(Object.keys(BLOCKS))('%s', async (name) => {
    const { html, text } = await compose(BLOCKS[name]!, 'template')
    const composed = `${html}\n<!-- text -->\n${text}\n`
    const file = join(GOLDEN, `${name}.html`)
    if (isWriting) writeFileSync(file, composed)

    expect(composed).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '')
  })

  test('and every node and mark is in one of them', () => {
    const used = new Set(
      JSON.stringify(BLOCKS)
        .match(/"type":"(\w+)"/g)!
        .map((type) => type.slice(8, -1)),
    )
    // From html of others, or without effect.
    const others = ['body', 'div', 'previewText']
    const known = [...Object.keys(schema.nodes), ...Object.keys(schema.marks)]

    expect(known.filter((name) => !used.has(name) && !others.includes(name))).toEqual([])
    const files = readdirSync(GOLDEN).filter((file) => file.endsWith('.html'))
    expect(files.sort()).toEqual(
      Object.keys(BLOCKS)
        .map((name) => `${name}.html`)
        .sort(),
    )
  })

  test.each(Object.keys(BLOCKS))('and %s is what an editor of the package makes of it', async (name) => {
    const editor = new Editor({ element: null, extensions: EMAIL_EXTENSIONS, content: BLOCKS[name]! })
    const theirs = await composeReactEmail({ editor })
    const { html } = await compose(BLOCKS[name]!, 'broadcast')

    expect(html).toBe(theirs.html)
  })
})

// Styles of a theme are in the document alone: in the html they are those of each node.
test.each(Object.keys(BLOCKS).filter((name) => name !== 'theme-styles'))(
  '%s comes back from its html as it was, to the byte',
  async (name) => {
    const { html, text } = await compose(BLOCKS[name]!, 'template')
    const again = await compose(documentFromHtml(html), 'template')

    expect(again.html).toBe(html)
    expect(again.text).toBe(text)
  },
)

describe('html of others', () => {
  test('keeps its words, its links and its pictures', () => {
    const html = `
      <html><head><title>x</title><style>.a{color:red}</style></head><body>
      <div style="display:none" data-skip-in-text="true">A preview&nbsp;&zwnj;&nbsp;&zwnj;</div>
      <table width="600"><tr><td>Left <a href="https://example.com/a">link</a></td><td><img src="https://example.com/b.png" alt="B"></td></tr></table>
      <center>Centered {{{NAME|you}}}</center></body></html>`

    const found = JSON.stringify(documentFromHtml(html))

    for (const part of [
      '"Left "',
      'https://example.com/a',
      'https://example.com/b.png',
      '"Centered "',
      '"NAME"',
      '"you"',
    ])
      expect(found, part).toContain(part)
    expect(found).toContain('"preview":"A preview"')
    expect(found).toContain('"css":".a{color:red}"')
  })

  test('brings no program along', () => {
    const html = `<script>alert(1)</script><p onclick="alert(2)">Hi<img src="x" onerror="alert(3)"></p>
      <a href="java&#10;script:alert(4)">there</a><iframe src="https://example.com"></iframe><svg onload="alert(5)"></svg>
      <form action="javascript:alert(6)"><input value="7"></form>`

    const found = JSON.stringify(documentFromHtml(html))

    expect(found).not.toMatch(/alert|script|iframe|onerror/)
    expect(found).toMatch(/Hi.*there/)
  })

  test('that is too deep or too large is refused', () => {
    expect(() => documentFromHtml('<div>'.repeat(100))).toThrow(/nested/)
    expect(() => documentFromHtml('<p>x</p>'.repeat(1_600))).toThrow('It has more than 3000 nodes and marks.')
  })

  test('without content is an empty paragraph', () => {
    expect(documentFromHtml('')).toMatchObject({ content: [{ type: 'container', content: [{ type: 'paragraph' }] }] })
  })
})

describe('a hostile document', () => {
  const refused = (content: unknown) => compose(content, 'template').catch((error: Error) => error.message)
  const linked = (href: string) =>
    documentOf({ type: 'paragraph', content: [textNode('x', { type: 'link', attrs: { href } })] })

  test.each([
    ['no document', 7, /object with a `type`/],
    ['another first node', { type: 'paragraph' }, 'The first node must be `doc`.'],
    [
      'unknown nodes',
      documentOf({ type: 'youtube' }, { type: '__proto__' }),
      'Unknown nodes or marks: `__proto__`, `youtube`.',
    ],
    ['an unknown mark', documentOf({ type: 'paragraph', content: [textNode('x', { type: 'blink' })] }), /`blink`/],
    ['columns with one column', documentOf({ type: 'twoColumns', content: [] }), /Invalid content for node twoColumns/],
    ['a heading of another level', documentOf({ type: 'heading', attrs: { level: '1><b' } }), /`level` of a `heading`/],
    [
      'an object for an attribute',
      documentOf({ type: 'paragraph', attrs: { style: { a: 1 } } }),
      /`style` of a `paragraph`/,
    ],
    [
      'another language',
      documentOf({ type: 'codeBlock', attrs: { language: '../../x' } }),
      /`language` of a `codeBlock`/,
    ],
    ['a language that is none', documentOf({ type: 'codeBlock', attrs: { language: 'extend' } }), /is not known/],
    ['another theme', documentOf({ type: 'codeBlock', attrs: { theme: 'render' } }), /`theme` of a `codeBlock`/],
    [
      'a name that ends a variable',
      documentOf({ type: 'variable', attrs: { name: 'A}}}<b>' } }),
      /`name` of a `variable`/,
    ],
    [
      'settings that are none',
      { type: 'doc', content: [{ type: 'globalContent', attrs: { data: null } }] },
      /must be an object/,
    ],
    [
      'styles that are none',
      { type: 'doc', content: [{ type: 'globalContent', attrs: { data: { styles: [{}] } } }] },
      /panels/,
    ],
    ['an empty text', documentOf({ type: 'paragraph', content: [{ type: 'text', text: '' }] }), /Empty text nodes/],
  ])('%s is refused', async (_name, content, message) => {
    expect(await refused(content)).toMatch(message)
  })

  test.each([
    'javascript:alert(1)',
    ' JavaScript:x',
    'java\nscript:x',
    '\u0001javascript:x',
    'vbscript:x',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:x',
  ])('an address like %j is refused', async (url) => {
    expect(await refused(linked(url))).toMatch(/Invalid `href` of a `link`/)
    expect(await refused(documentOf({ type: 'image', attrs: { src: url } }))).toMatch(/Invalid `src` of a `image`/)
    expect(await refused(documentOf({ type: 'button', attrs: { href: url } }))).toMatch(/Invalid `href` of a `button`/)
  })

  test.each([
    'https://example.com',
    'mailto:a@example.com',
    'tel:+1',
    '#top',
    '/path',
    'page.html',
    '{{{URL}}}',
    '{{{URL|https://x}}}',
    'example.com/a:b',
    '',
  ])('an address like %j is not', async (url) => {
    expect(await refused(linked(url))).toMatchObject({ html: expect.any(String) })
  })

  test('that is too deep or too large is refused', async () => {
    const deep = (levels: number): object =>
      levels === 0 ? paragraphOf('x') : { type: 'blockquote', content: [deep(levels - 1)] }

    expect(await refused(documentOf(deep(30)))).toBe('It is nested more than 25 levels deep.')
    const wide = documentOf(...Array.from({ length: 1_600 }, () => paragraphOf('x')))
    expect(await refused(wide)).toBe('It has more than 3000 nodes and marks.')
  })

  test('gets nothing but text and attributes into the html', async () => {
    const evil = '"><script>alert(1)</script>'
    const data = { css: `</style>${evil}`, preview: evil }
    const content = [
      { type: 'globalContent', attrs: { data } },
      {
        type: 'container',
        content: [
          paragraphOf(evil),
          {
            type: 'paragraph',
            attrs: { class: evil, style: `color:red${evil};background:url(${evil})`, alignment: evil },
          },
          { type: 'button', attrs: { href: `https://example.com/${evil}`, class: evil }, content: [textNode(evil)] },
          { type: 'image', attrs: { src: `https://example.com/${evil}`, alt: evil, width: evil } },
          { type: 'paragraph', content: [{ type: 'variable', attrs: { name: 'NAME', fallback: `${evil}}}} {{{` } }] },
          { type: 'codeBlock', attrs: { language: 'javascript' }, content: [textNode(evil)] },
        ],
      },
    ]

    const { html } = await compose({ type: 'doc', content }, 'template')

    // Inside of a style the text ends at the first `</style`, which it cannot have.
    const body = html.replace(/<style>[\s\S]*?<\/style>/g, '')
    expect(body).not.toMatch(/<script/i)
    expect(html.match(/<\/style/g)).toHaveLength(2)
    expect(html.match(/\{\{\{/g)).toHaveLength(1)
  })
})

describe('the prompt of agents', () => {
  const { data, version } = describeSchema()

  test('names all nodes and marks, and is the same every time', () => {
    for (const name of [...Object.keys(schema.nodes), ...Object.keys(schema.marks)])
      expect(data, name).toContain(`- \`${name}\`: `)
    expect(data).not.toContain('See its name.')
    expect(describeSchema()).toEqual({ data, version })
  })

  test.each(EXAMPLES.map(({ title }) => title))('has an example that composes: %s', async (title) => {
    const { content } = EXAMPLES.find((example) => example.title === title)!

    expect(data).toContain(JSON.stringify(content))
    expect((await compose(content, 'broadcast')).html).toContain('</html>')
  })
})

test('what is not in a container is put into one', async () => {
  const bare = { type: 'doc', content: [paragraphOf('Hi')] }

  expect((await compose(bare, 'template')).html).toBe((await compose(saying('Hi'), 'template')).html)
})
