import { documentOf, paragraphOf, textNode } from '../../../../../test/harness/documents.ts'

const paragraph = (...content: readonly object[]) => ({ type: 'paragraph', content })
const item = (...content: readonly object[]) => ({ type: 'listItem', content })
const column = (text: string, style: string) => ({
  type: 'columnsColumn',
  attrs: { style },
  content: [paragraphOf(text)],
})
const cell = (type: 'tableCell' | 'tableHeader', text: string) => ({ type, content: [paragraphOf(text)] })
const marked = (type: string, attrs?: object) => textNode(type, { type, ...(attrs && { attrs }) })
const withSettings = (data: object, ...blocks: readonly object[]) => ({
  type: 'doc',
  content: [
    { type: 'globalContent', attrs: { data } },
    { type: 'container', content: blocks },
  ],
})

/** One of each kind. Their html is beside this file; `POSTWREN_TEST_GOLDEN=1` writes it anew. */
export const BLOCKS: Readonly<Record<string, object>> = {
  paragraph: documentOf(
    paragraphOf('One line.'),
    { type: 'paragraph', attrs: { alignment: 'center', style: 'color:#d00' }, content: [textNode('Centered, red')] },
    paragraph(textNode('Two'), { type: 'hardBreak' }, textNode('lines')),
  ),
  headings: documentOf(
    ...[1, 2, 3].map((level) => ({ type: 'heading', attrs: { level }, content: [textNode(`Level ${level}`)] })),
  ),
  marks: documentOf(
    paragraph(
      ...['bold', 'italic', 'underline', 'strike', 'code', 'sup', 'uppercase'].map((type) => marked(type)),
      marked('link', { href: 'https://example.com/?a=1&b=2' }),
      marked('preservedStyle', { style: 'background-color:#ff0' }),
    ),
  ),
  lists: documentOf(
    {
      type: 'bulletList',
      content: [
        item(paragraphOf('One')),
        item(paragraphOf('Two'), { type: 'bulletList', content: [item(paragraphOf('Two and a half'))] }),
      ],
    },
    { type: 'orderedList', attrs: { start: 3 }, content: [item(paragraphOf('Three')), item(paragraphOf('Four'))] },
  ),
  quote: documentOf({ type: 'blockquote', content: [paragraphOf('To be, or not to be')] }),
  'code-block': documentOf({
    type: 'codeBlock',
    attrs: { language: 'javascript' },
    content: [textNode('const answer = 42\nconsole.log(answer)')],
  }),
  divider: documentOf(paragraphOf('Above'), { type: 'horizontalRule' }, paragraphOf('Below')),
  button: documentOf(
    { type: 'button', attrs: { href: 'https://example.com/start' }, content: [textNode('Get started')] },
    {
      type: 'button',
      attrs: { href: 'https://example.com', alignment: 'center', style: 'background-color:#d00' },
      content: [textNode('Centered, red')],
    },
  ),
  image: documentOf(
    { type: 'image', attrs: { src: 'https://example.com/a.png', alt: 'A', width: 300, height: 200 } },
    {
      type: 'image',
      attrs: { src: 'https://example.com/b.png', alt: 'B', alignment: 'left', href: 'https://example.com' },
    },
    { type: 'image', attrs: { src: 'https://example.com/c.png', alt: 'C', alignment: 'right' } },
  ),
  'columns-2': documentOf({
    type: 'twoColumns',
    content: [column('Left', 'width:50%'), column('Right', 'width:50%')],
  }),
  'columns-3': documentOf({
    type: 'threeColumns',
    content: ['One', 'Two', 'Three'].map((text) => column(text, 'width:33%;padding:8px')),
  }),
  'columns-4': documentOf({
    type: 'fourColumns',
    content: ['One', 'Two', 'Three', 'Four'].map((text) => column(text, 'width:25%')),
  }),
  section: documentOf({
    type: 'section',
    attrs: { class: 'card', style: 'background-color:#f4f4f5;padding:24px' },
    content: [paragraphOf('Inside'), { type: 'section', content: [paragraphOf('Further inside')] }],
  }),
  table: documentOf({
    type: 'table',
    content: [
      { type: 'tableRow', content: [cell('tableHeader', 'Item'), cell('tableHeader', 'Price')] },
      { type: 'tableRow', content: [cell('tableCell', 'Pen'), cell('tableCell', '2.00')] },
    ],
  }),
  variable: documentOf(
    paragraph(
      textNode('Dear '),
      { type: 'variable', attrs: { name: 'NAME', fallback: 'friends & "foes"' } },
      textNode(', your code is '),
      { type: 'variable', attrs: { name: 'CODE' } },
      textNode('.'),
    ),
    { type: 'button', attrs: { href: 'https://example.com/{{{ID}}}' }, content: [textNode('Open')] },
  ),
  'theme-minimal': withSettings({ theme: 'minimal' }, paragraphOf('Without a theme'), {
    type: 'button',
    attrs: { href: 'https://example.com' },
    content: [textNode('Plain')],
  }),
  'theme-styles': withSettings(
    {
      theme: 'basic',
      styles: [
        {
          id: 'button',
          title: 'Button',
          classReference: 'button',
          inputs: [
            { label: 'Background', type: 'color', value: '#0a7', prop: 'backgroundColor', classReference: 'button' },
          ],
        },
      ],
    },
    { type: 'button', attrs: { href: 'https://example.com' }, content: [textNode('Green')] },
  ),
  'dark-mode': withSettings(
    { css: '@media (prefers-color-scheme: dark) { .card { background-color: #18181b !important; } }' },
    { type: 'section', attrs: { class: 'card' }, content: [paragraphOf('Dark at night')] },
  ),
  'preview-text': withSettings({ preview: 'Shown beside the subject' }, paragraphOf('Hello')),
}
