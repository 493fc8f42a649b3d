import { expect, test } from 'vitest'
import { seededRandom } from '../../test/harness/random.ts'
import { prepareContent } from './broadcast.ts'
import { signDkim, signHeaders } from './dkim.ts'
import { ED25519, RSA } from './golden/golden-case.ts'
import { verdictsOn } from './golden/verify.ts'
import type { Message } from './message.ts'
import { buildMime } from './mime.ts'
import { personalise, type Variables } from './personal.ts'
import { spliceContent, spliceMessage } from './spliced-message.ts'

const URL = 'https://mail.acme.dev/unsubscribe/token=='
const DATE = new Date('2026-01-02T03:04:05Z')
const STAMP = { messageId: '<one@acme.dev>', date: DATE, seed: '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f' }
const SIGNERS = [RSA, ED25519]
const ENVELOPE = {
  from: { name: 'Grüße', address: 'news@acme.dev' },
  to: [{ name: null, address: 'ada@example.com' }],
  cc: [],
  replyTo: [],
  subject: 'Für dich',
  headers: [{ name: 'List-Unsubscribe', value: `<${URL}>` }],
  attachments: [],
}

type Content = Parameters<typeof prepareContent>[0]

/** A copy as it is made from nothing. */
function whole(content: Content, variables: Variables): Message {
  return { ...ENVELOPE, ...personalise(prepareContent(content), variables, URL) }
}

function spliced(content: Content, variables: Variables, trackedHtml: string | null = null) {
  const shared = spliceContent(prepareContent(content))
  const personal = { variables, unsubscribeUrl: URL, trackedHtml }
  return shared && spliceMessage({ message: { ...ENVELOPE, html: null, text: null }, stamp: STAMP }, shared, personal)
}

const bytesOf = ({ head, body }: NonNullable<ReturnType<typeof spliced>>) =>
  Buffer.concat([head, ...body.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk))])

async function signed(content: Content, variables: Variables) {
  const copy = spliced(content, variables)!
  const signature = await signHeaders({ block: copy.head.subarray(0, -4), hash: copy.bodyHash }, SIGNERS, DATE)
  return Buffer.concat([signature, bytesOf(copy)])
}

async function signedWhole(content: Content, variables: Variables) {
  const mime = buildMime(whole(content, variables), STAMP)
  return Buffer.concat([await signDkim(mime, SIGNERS, { date: DATE }), mime])
}

const LONG_LINE = 'word '.repeat(30).trim()

const CASES: Record<string, Content & { variables: Variables }> = {
  'html and text': {
    html: `<p>Dear {{{FIRST_NAME|friend}}},</p>\n<p>${LONG_LINE}</p>\n<a href="{{{RESEND_UNSUBSCRIBE_URL}}}">no more</a>`,
    text: null,
    previewText: 'Preview',
    variables: { FIRST_NAME: 'Ada' },
  },
  'a name beyond ASCII in a text that is plain otherwise': {
    html: '<p>Hi {{{FIRST_NAME}}}</p>\n<p>  two  spaces\tand a tab  </p>\n',
    text: 'Hi {{{FIRST_NAME}}}\nplain line\n\n\n',
    previewText: null,
    variables: { FIRST_NAME: 'Zoë' },
  },
  'text alone, with empty lines at its end': {
    ...{ html: null, text: 'Hello {{{FIRST_NAME|you}}}\r\n\r\n{{{LAST_NAME}}}\n\n', previewText: null },
    variables: {},
  },
  'html alone, and lines that look like something else': {
    ...{ html: 'From {{{FIRST_NAME}}}\nFrom here\n--=_x\n.dot\n', text: '', previewText: null },
    variables: { FIRST_NAME: 'me\nFrom you\r\n.' },
  },
}

for (const [name, { variables, ...content }] of Object.entries(CASES)) {
  test(`a copy that is spliced is the one that is made from nothing, and its signatures are good: ${name}`, async () => {
    const copy = await signed(content, variables)

    expect(copy.toString('latin1')).toBe((await signedWhole(content, variables)).toString('latin1'))
    expect(await verdictsOn(copy, SIGNERS)).toEqual(['pass', 'pass'])
  })
}

const FRAGMENTS = [
  ...[
    '\n',
    '\n',
    '\r\n',
    '\r',
    ' ',
    '  ',
    '\t',
    ' \n',
    '\t\r\n',
    '.',
    '\n.\n',
    '\nFrom ',
    'From ',
    '=',
    '--=_',
    '{{{',
    '}}}',
    '{',
  ],
  ...[
    '{{{A}}}',
    '{{{A|x\n y}}}',
    '{{{\nB\n}}}',
    '{{{ B | \r\n}}}',
    '{{{A}}} {{{B\n}}} {{{C}}}',
    '{{{UNSUBSCRIBE_URL}}}',
    '{{{NONE}}}',
  ],
  ...[
    'é',
    '€',
    '👋',
    '\ud800',
    '\udc00',
    '\0',
    '\u2028',
    'abc',
    'Hello, world',
    LONG_LINE,
    'x'.repeat(80),
    'y'.repeat(1_010),
    `<td style="x">é = ${LONG_LINE.repeat(7)}</td>`,
  ],
]
const VALUES = [
  '',
  'Ada',
  '\n',
  '\r',
  '\nFrom x',
  ' ',
  'Zoë',
  '\udc00',
  '\ud83d',
  '<&">',
  '{{{B}}}',
  ' \r\n ',
  'é'.repeat(50),
  'z'.repeat(999),
]

test('whatever is written and filled in, it is the same byte for byte, or made from nothing', async () => {
  const random = seededRandom()
  const pick = <Value>(from: readonly Value[]) => from[random.below(from.length)]!
  const textOf = () => Array.from({ length: random.below(12) }, () => pick(FRAGMENTS)).join('')
  let made = 0
  for (let turn = 0; turn < 1_500; turn++) {
    const content = {
      html: pick([null, textOf(), textOf()]),
      text: pick([null, '', textOf(), textOf()]),
      previewText: pick([null, 'x']),
    }
    const variables = { A: pick(VALUES), B: pick(VALUES), ...(random.below(2) && { C: pick(VALUES) }) }
    const copy = spliced(content, variables)
    if (!copy) continue
    made++
    const mime = buildMime(whole(content, variables), STAMP)
    expect(bytesOf(copy).toString('latin1'), JSON.stringify({ content, variables })).toBe(mime.toString('latin1'))
    const hash = /bh=([^;]+);/.exec((await signDkim(mime, [ED25519], { date: DATE })).toString())![1]
    expect(copy.bodyHash, JSON.stringify({ content, variables })).toBe(hash)
  }
  expect(made).toBeGreaterThan(300)
})

test('html with links of its own is taken as it is, and the text is spliced', () => {
  const content = { html: '<p>{{{A}}}</p>', text: 'Hi {{{A}}}', previewText: null }
  const html = '<p>Ada  <img src="https://acme.dev/o/1"></p>'
  const copy = spliced(content, { A: 'Ada' }, html)!

  expect(bytesOf(copy)).toEqual(buildMime({ ...whole(content, { A: 'Ada' }), html }, STAMP))
})

test('what is in base64, in several chunks, or nothing at all is made from nothing', () => {
  const content = (text: string) => ({ html: null, text, previewText: null })

  expect(spliced(content('{{{A}}}'), { A: '漢字' })).toBeNull()
  expect(spliced(content('{{{A}}}'), {})).toBeNull()
  expect(spliced(content('\n\n'), {})).toBeNull()
  expect(spliced(content('x\n'.repeat(40_000)), {})).toBeNull()
  expect(spliced(content('{{{A}}}'), { A: 'x\n'.repeat(40_000) })).toBeNull()
})
