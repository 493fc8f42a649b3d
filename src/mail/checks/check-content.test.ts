import { expect, test } from 'vitest'
import { terminates } from '../../../test/harness/watchdog.ts'
import { atOnce } from '../steps.ts'
import { type CheckedMessage, checkContent } from './check-content.ts'
import { isDark } from './dark-mode.ts'
import { SourceLines } from './finding.ts'
import { isLocalHost, readLinks } from './links.ts'

const PLAIN: CheckedMessage = {
  html: null,
  text: null,
  headers: [],
  recipients: 1,
  files: [],
  sender: null,
  targetOf: (href) => href,
}

const check = (message: Partial<CheckedMessage>) => atOnce(checkContent({ ...PLAIN, ...message }))

/** What was found, as `severity line title`. */
const found = (message: Partial<CheckedMessage>, kind: string) =>
  check(message)
    .findings.filter((finding) => finding.check === kind)
    .map(({ severity, line, title }) => `${severity} ${line ?? '-'} ${title}`)

test('what mail clients do not support is told with the line, the clients and where to read more', () => {
  const html = '<html>\n<body>\n  <div style="color: red; display: grid">\n  <p>Hi</p>\n</div></body></html>'

  const finding = check({ html }).findings.find(({ title }) => title.startsWith('display:grid'))

  expect(finding).toMatchObject({
    check: 'clients',
    severity: 'warning',
    line: 3,
    source: '<div style="color: red; display: grid">',
    url: 'https://www.caniemail.com/features/css-display-grid/',
  })
  expect(finding!.title).toBe(`display:grid is not supported by ${finding!.clients!.length} mail clients`)
  expect(finding!.clients).toContain('Outlook, Windows 2007–2019')
})

test('what most people would miss comes first, and shares are over everything that the mail uses', () => {
  const { findings, support } = check({ html: '<video></video><p style="display:grid">Hi</p>' })

  const severities = findings.filter((one) => one.check === 'clients').map(({ severity }) => severity)
  expect([...severities].sort().reverse()).toEqual(severities)
  expect(support).toMatchObject({ clients: 48, data_updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) })
  expect(support!.supported + support!.partial + support!.unsupported).toBeCloseTo(100, 0)
  expect(support!.unsupported).toBeGreaterThan(10)
})

test('a mail without html uses nothing that could be missing', () => {
  expect(check({ text: 'Hi' })).toMatchObject({ findings: [], support: null })
})

test.each([
  ['<a href="http://shop.example.com/">x</a>', 'warning 1 A link is not encrypted (http)'],
  ['<a href="http://localhost:3000/a">x</a>', 'error 1 A link points to a local address'],
  ['<a href="https://192.168.1.10/">x</a>', 'error 1 A link points to a local address'],
  ['<a href="#">x</a>', 'warning 1 A link has no target (#)'],
  ['\n<a href="">x</a>', 'warning 2 A link has no address'],
  ['\n\n<a>x</a>', 'warning 3 A link has no address'],
  ['<a href="/account">x</a>', 'error 1 A link is relative, which does not work in email'],
  ['<a href="https://">x</a>', 'error 1 A link is not a valid address'],
  [`<a href="https://${'a.'.repeat(127)}com/">x</a>`, 'error 1 A link is not a valid address'],
  [`<a href="HTTPS:\\\\x:y@${'ü.'.repeat(127)}com/">x</a>`, 'error 1 A link is not a valid address'],
  ['<a href="javascript:go()">x</a>', 'error 1 A link runs a script, which mail clients block'],
  [
    '<a href="https://youtu.be/abc">x</a><a href="https://www.youtube.com/watch?v=abc">y</a>',
    'warning 1 A link is a short YouTube address, which Gmail takes for phishing',
  ],
])('links: %j', (html, expected) => {
  expect(found({ html }, 'links')).toEqual([expected])
})

test('a link that is fine is not told, and one that is tracked is judged by where it leads', () => {
  const html =
    '<a href="https://example.com/">x</a><a name="top"></a><a href="#top">Up</a><a href="mailto:a@b.example">m</a>'
  const tracked = '<a href="http://localhost:4025/click/1">x</a>'

  expect(found({ html }, 'links')).toEqual([])
  expect(found({ html: tracked, targetOf: () => 'https://example.com/' }, 'links')).toEqual([])
})

test('a long address is fine where its host is not long, and each is read in a step of its own', () => {
  const long = 'a'.repeat(2_000)
  const hrefs = [
    ...[`https://${'a.'.repeat(125)}com:8080/${long}`, `https://${long}:x@example.com?${long}`],
    ...[`mailto:${long}@example.com`, `tel:${long}`],
  ]

  const reading = readLinks(
    hrefs.map((href) => ({ href, at: 0 })),
    (href) => href,
  )
  for (const _ of hrefs) expect(reading.next().done).toBe(false)

  expect(reading.next()).toMatchObject({ done: true, value: hrefs.map((target) => ({ target, url: new URL(target) })) })
  expect(found({ html: hrefs.map((href) => `<a href="${href}">x</a>`).join('') }, 'links')).toEqual([])
})

test('pages and pictures can be asked for once each, unless their addresses are longer than any', () => {
  const { pages, pictures } = check({
    html: `<a href="https://x.example/a#b">x</a><a href="https://x.example/a#">x</a><a href="ftp://x.example/">x</a>
      <img src="https://x.example/a.png"><img src="https://x.example/${'ü'.repeat(10_000)}">
      <img src="https:/\t/${'ü.'.repeat(500)}example/"><img src="cid:a">`,
  })

  expect(pages.map(({ href }) => href)).toEqual(['https://x.example/a'])
  expect(pictures.map(({ href }) => href)).toEqual(['https://x.example/a.png'])
})

test('tags are counted, and what is only written like one is not', () => {
  expect(check({ html: '<p><b>x</b><br/></p><!-- <i> --><style>a::after{content:"<u>"}</style>' }).tags).toBe(4)
  expect(check({ html: '<a'.repeat(1_000) }).tags).toBe(0)
})

test.each([
  ['a few lines', 'one\n two \n\nfour', ['one', 'two', '', 'four']],
  ['a long line', `${'x'.repeat(65_535)}\ny\n`, [`${'x'.repeat(160)}…`, 'y', '']],
  ['empty lines', `${'\n'.repeat(65_536)}z`, [...Array<string>(65_536).fill(''), 'z']],
])('the places of %s are found again', (_, text, expected) => {
  const lines = atOnce(SourceLines.of(text))
  let at = 0
  for (const [index, line] of text.split('\n').entries()) {
    if (lines.lineAt(at) !== index + 1 || lines.sourceAt(at) !== expected[index])
      expect([lines.lineAt(at), lines.sourceAt(at)]).toEqual([index + 1, expected[index]])
    at += line.length + 1
  }
})

test('findings in a line of millions of characters take no longer than in short ones', () => {
  // The half of this letter is a line break, to whoever looks for one in bytes.
  const looking = SourceLines.of('上'.repeat(4_000_000))
  for (let step = 1; step < 15; step += 1) expect(looking.next().done).toBe(false)
  const lines = atOnce(looking)

  // With a thousand in a million characters it was 10 s if each looked for the end of the line: here it is a hundred times that, and more.
  terminates(() => {
    for (let at = 1_000; at < 3_999_000; at += 100)
      if (lines.sourceAt(at).length !== 162) expect(lines.sourceAt(at)).toBe(`…${'上'.repeat(160)}…`)
  })
})

test.each([
  ...[
    'localhost',
    'app.localhost',
    '127.0.0.1',
    '10.1.2.3',
    '172.20.0.1',
    '100.64.0.1',
    '0.0.0.0',
    '[::1]',
    '[fd00::1]',
  ],
  ...['[fe80::1]', '[::ffff:7f00:1]', 'printer', 'nas.local', 'x.internal', 'x.sandbox.test', 'localhost.'],
])('%s is a machine that only you can reach', (host) => {
  expect(isLocalHost(host)).toBe(true)
})

test.each(['example.com', '8.8.8.8', '172.32.0.1', '[2001:db8::1]', 'localhost.example.com', '100.128.0.1'])(
  '%s can be reached by others',
  (host) => {
    expect(isLocalHost(host)).toBe(false)
  },
)

const file = { filename: 'photo.jpg', content_id: '<photo@x>', content_type: 'image/jpeg', size: 2_000_000 }

test.each([
  ['<img src="https://x.example/a.png">', ['warning 1 An image has no alt text']],
  ['<img src="https://x.example/a.png" alt=""><img src="https://x.example/o.gif" width=1 height=1>', []],
  ['<img alt="x">', ['error 1 An image has no source']],
  ['<img src="logo.png" alt="x">', ['error 1 An image has a relative URL, which does not work in email']],
  ['<img src="http://x.example/a.png" alt="x">', ['warning 1 An image is not encrypted (http)']],
  [
    `<p>\n<img src="data:image/png;base64,${'A'.repeat(1_500_000)}" alt="x">`,
    ['warning 2 An embedded image is larger than 1 MB'],
  ],
  ['<img src="cid:logo" alt="x">', ['error 1 An image is missing from the message (cid)']],
])('images: %.60j', (html, expected) => {
  expect(found({ html }, 'images')).toEqual(expected)
})

test('a picture that is attached is there, and too large above 1 MB', () => {
  expect(found({ html: '<img src="cid:photo%40x" alt="x">', files: [file] }, 'images')).toEqual([
    'warning - An attached image is larger than 1 MB',
  ])
})

const DARK = '<meta name="color-scheme" content="light dark">'

test.each([
  ['<p>x</p>', ['notice - No color-scheme declaration']],
  [`${DARK}<p>x</p>`, []],
  [
    '<style>@media (prefers-color-scheme: dark) { p { color: #fff } }</style>',
    ['warning - Dark mode styles without a color-scheme declaration'],
  ],
  [`${DARK}\n<p style="color:#111">x</p>`, ['warning 2 Dark text without a background color']],
  [`${DARK}<div style="background:#fff"><p style="color:#111">x</p></div><p style="color:#ccc">y</p>`, []],
  [
    `${DARK}\n<div style="background-color: transparent; background : none"><p style="color:#111">x</p></div>`,
    ['warning 2 Dark text without a background color'],
  ],
  [`${DARK}<div style="background: none; background-color: white"><p style="color:#111">x</p></div>`, []],
  [`${DARK}<div bgcolor=white></div><font color="black">x</font>`, ['warning 1 Dark text without a background color']],
  [`${DARK}<style>@media (prefers-color-scheme:dark){p{color:#fff!important}}</style><p style="color:#111">x</p>`, []],
  ['<meta name="color-scheme" content="only light"><p style="color:#111">x</p>', []],
])('dark mode: %j', (html, expected) => {
  expect(found({ html }, 'dark_mode')).toEqual(expected)
})

test.each(['#000', '#111111', '#333', 'black', 'rgb(20, 20, 20)', 'rgba(0,0,0,.8)', '#222 !important', '#1a1a2eff'])(
  '%s is dark',
  (color) => {
    expect(isDark(color)).toBe(true)
  },
)

test.each(['#fff', '#888', 'red', 'rgb(200 200 200)', 'var(--x)', 'transparent', '#12', ''])('%s is not', (color) => {
  expect(isDark(color)).toBe(false)
})

test('Gmail clips at 102 kB, counted in bytes, and the line is where it does', () => {
  const row = `<p>${'ü'.repeat(508)}</p>\n` // 1,024 bytes

  expect(found({ html: row.repeat(80) }, 'clipping')).toEqual([])
  expect(found({ html: row.repeat(100) }, 'clipping')).toEqual([
    'notice - The HTML is 100 kB: Gmail clips messages at 102 kB',
  ])
  expect(found({ html: row.repeat(150) }, 'clipping')).toEqual([
    'error 103 Gmail clips the message: the HTML is 150 kB, the limit is 102 kB',
  ])
})

const WORDS =
  'Your order has been shipped today with the parcel service and will arrive within three working days. Please keep this message until then.'

test('a text part is missing, or says something else', () => {
  const html = `<style>p{}</style><p>${WORDS}</p>`

  expect(found({ html, text: null }, 'text')).toEqual(['warning - No text part'])
  expect(found({ html, text: 'Please open this mail in a browser.' }, 'text')).toEqual([
    'warning - The text part differs from the HTML',
  ])
  expect(found({ html, text: WORDS.toUpperCase() }, 'text')).toEqual([])
  expect(found({ html: '<p>Hi</p>', text: 'Hello' }, 'text')).toEqual([])
  expect(found({ html: null, text: 'Hello' }, 'text')).toEqual([])
})

const listed = (value: string, post = 'List-Unsubscribe=One-Click') => [
  { name: 'List-Unsubscribe', value },
  { name: 'List-Unsubscribe-Post', value: post },
]

test('a mail to many has a way out with one click, and a mail to somebody needs none', () => {
  const bulk = [{ name: 'Precedence', value: 'bulk' }]

  expect(found({}, 'unsubscribe')).toEqual([])
  expect(found({ headers: listed('<https://x.example/u>') }, 'unsubscribe')).toEqual([])
  expect(found({ headers: bulk }, 'unsubscribe')).toEqual(['error - Bulk mail has no List-Unsubscribe header'])
  expect(found({ recipients: 10 }, 'unsubscribe')).toEqual(['error - Bulk mail has no List-Unsubscribe header'])
  expect(found({ headers: [...bulk, ...listed('<https://x.example/u>', 'no')] }, 'unsubscribe')).toEqual([
    'warning - No one-click unsubscribe',
  ])
  expect(found({ headers: listed('<mailto:u@x.example>').slice(0, 1) }, 'unsubscribe')).toEqual([
    'notice - No one-click unsubscribe',
  ])
})

test('of many faults the first are told, and how many there are besides', () => {
  const html = '<img src="https://x.example/a.png">\n'.repeat(1_000)

  const findings = check({ html }).findings.filter(({ title }) => title === 'An image has no alt text')

  expect(findings).toHaveLength(26)
  expect(findings.at(-1)!.detail).toBe('And 975 more like it.')
})

const sender = { from: 'Acme <a@acme.dev>', replyTo: [], tracking: { clicks: null, opens: null } }

const HOSTILE: Record<string, string> = {
  'open tags': '<div>'.repeat(200_000),
  'tags that end nothing': `${'<b>'.repeat(600)}${'</i>'.repeat(200_000)}`,
  'wrong links': '<a href="//">'.repeat(80_000),
  'links to many hosts': Array.from({ length: 20_000 }, (_, index) => `<a href="https://h${index}.example">`).join(''),
  'links to long hosts': `<a href="https://${'a.'.repeat(125)}com">`.repeat(3_000),
  'open braces': `<style>${'a{'.repeat(500_000)}</style>`,
  'closed braces': `<style>${'}'.repeat(1_000_000)}</style>`,
  'open comments': `<style>${'/*'.repeat(500_000)}</style>`,
  comments: `<style>${'a/**/'.repeat(200_000)}</style>`,
  quotes: `<style>${'"\n'.repeat(500_000)}</style>`,
  parentheses: `<style>a{b:${'url('.repeat(250_000)}</style>`,
  selectors: `<style>${'a>b,'.repeat(250_000)}{}</style>`,
  brackets: `<style>${'['.repeat(1_000_000)}{}</style>`,
  'at rules': `<style>${'@media{'.repeat(140_000)}</style>`,
  declarations: `<style>a{${'margin:1px calc(1vw);'.repeat(48_000)}}</style>`,
  'style attributes': `<p style="${'color:red;'.repeat(100_000)}">`.repeat(2),
  'short styles': '<p style="color:#000;width:1vw">'.repeat(31_000),
  'style elements': '<style>a{b:c}</style>'.repeat(48_000),
  'spaces in a color': `<font color="x${' '.repeat(390_000)}y">`,
  lines: '\n'.repeat(1_000_000),
}

test.each(Object.keys(HOSTILE))('400 kB of %s take time for their length, and have few findings', (kind) => {
  const hostile = HOSTILE[kind]!.slice(0, 400_000)

  // Some 100 ms. What is not linear takes minutes.
  const { findings } = terminates(() => check({ html: hostile, text: hostile, sender }))

  expect(findings.length).toBeLessThan(100)
})
