// Documents of the agent's prompt. Each is composed by a test.

const text = (words: string, ...marks: readonly object[]) => ({
  type: 'text',
  text: words,
  ...(marks.length > 0 && { marks }),
})
const paragraph = (...content: readonly object[]) => ({ type: 'paragraph', content })
const heading = (level: number, ...content: readonly object[]) => ({ type: 'heading', attrs: { level }, content })
const variable = (name: string, fallback?: string) => ({
  type: 'variable',
  attrs: { name, ...(fallback && { fallback }) },
})
const link = (href: string) => ({ type: 'link', attrs: { href } })
const doc = (...blocks: readonly object[]) => ({ type: 'doc', content: [{ type: 'container', content: blocks }] })

export interface Example {
  readonly title: string
  readonly content: Readonly<Record<string, unknown>>
}

export const EXAMPLES: readonly Example[] = [
  {
    title: 'A template with a variable and a button',
    content: doc(
      heading(1, text('Welcome, '), variable('NAME', 'there')),
      paragraph(text('Your account is '), text('ready', { type: 'bold' }), text('.')),
      {
        type: 'button',
        attrs: { href: 'https://example.com/start?id={{{USER_ID}}}', alignment: 'left' },
        content: [text('Get started')],
      },
    ),
  },
  {
    title: 'A broadcast with columns, a list and an unsubscribe link',
    content: doc(
      heading(2, text('What is new in May')),
      {
        type: 'twoColumns',
        content: [
          {
            type: 'columnsColumn',
            attrs: { style: 'width:50%;vertical-align:top' },
            content: [
              { type: 'image', attrs: { src: 'https://example.com/new.png', alt: 'The new editor', width: 280 } },
            ],
          },
          {
            type: 'columnsColumn',
            attrs: { style: 'width:50%;vertical-align:top' },
            content: [
              {
                type: 'bulletList',
                content: [
                  { type: 'listItem', content: [paragraph(text('Blocks and columns'))] },
                  { type: 'listItem', content: [paragraph(text('Versions of every email'))] },
                ],
              },
            ],
          },
        ],
      },
      { type: 'horizontalRule' },
      paragraph(text('Unsubscribe', link('{{{RESEND_UNSUBSCRIBE_URL}}}'))),
    ),
  },
  {
    title: 'Theme, preview text and dark mode',
    content: {
      type: 'doc',
      content: [
        {
          type: 'globalContent',
          attrs: {
            data: {
              theme: 'basic',
              preview: 'Your receipt of May',
              css: '@media (prefers-color-scheme: dark) { .card { background-color: #18181b !important; color: #fafafa !important; } }',
            },
          },
        },
        {
          type: 'container',
          content: [
            {
              type: 'section',
              attrs: { class: 'card', style: 'background-color:#f4f4f5;padding:24px' },
              content: [heading(3, text('Receipt')), paragraph(text('Total: '), variable('TOTAL'))],
            },
          ],
        },
      ],
    },
  },
]
