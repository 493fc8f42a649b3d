import { expect, test } from 'vitest'
import { atOnce } from '../steps.ts'
import { readLinks } from './links.ts'
import { type CheckedSender, findForeignLinks, findSenderFaults, findTrackingFaults } from './sender.ts'

const SENDER: CheckedSender = {
  from: 'Acme <hello@mail.acme.dev>',
  replyTo: [],
  tracking: { clicks: null, opens: null },
}

const told = (found: readonly { severity: string; impact?: string; title: string }[]) =>
  found.map(({ severity, impact = 'major', title }) => `${severity} ${impact} ${title}`)

const NO_REPLY = 'notice major Replies are not wanted (no-reply)'

test.each([
  'noreply@mail.acme.dev',
  'No-Reply@mail.acme.dev',
  'Acme <no_reply@mail.acme.dev>',
  'do-not-reply@mail.acme.dev',
  'donotreply@mail.acme.dev',
  'orders-noreply@mail.acme.dev',
  'noreply+7@mail.acme.dev',
  'noreply2@mail.acme.dev',
])('%s wants no replies', (from) => {
  expect(told(findSenderFaults({ ...SENDER, from }))).toEqual([NO_REPLY])
})

test.each(['hello@mail.acme.dev', 'reply@mail.acme.dev', 'norepl@mail.acme.dev', 'casino-replyteam@noreply.acme.dev'])(
  '%s does',
  (from) => {
    expect(told(findSenderFaults({ ...SENDER, from }))).toEqual([])
  },
)

test('replies go where reply_to says', () => {
  const from = 'noreply@mail.acme.dev'

  expect(told(findSenderFaults({ ...SENDER, from, replyTo: [from, 'Help <help@acme.dev>'] }))).toEqual([])
  expect(told(findSenderFaults({ ...SENDER, replyTo: [from] }))).toEqual([NO_REPLY])
})

test('a root domain is told, and a subdomain is not', () => {
  const fromRoot = (domain: string) => told(findSenderFaults({ ...SENDER, from: `hello@${domain}` }))

  expect(fromRoot('acme.dev')).toEqual(['notice minor Sent from the root domain'])
  expect(fromRoot('acme.co.uk')).toEqual(['notice minor Sent from the root domain'])
  expect(fromRoot('mail.acme.co.uk')).toEqual([])
})

test('of an address that cannot be read nothing is said', () => {
  const sender = { ...SENDER, from: 'a, b <c', tracking: { clicks: 'x.example', opens: null } }

  expect([
    ...findSenderFaults(sender),
    ...findTrackingFaults(sender),
    ...foreign(['https://x.example'], sender),
  ]).toEqual([])
})

const foreign = (hrefs: readonly string[], sender = SENDER) => {
  const uses = hrefs.map((href, at) => ({ href, at }))
  return atOnce(findForeignLinks(atOnce(readLinks(uses, (href) => href)), sender))
}

test('links lead to the domain of the sender, or to one above or beside it', () => {
  expect(
    foreign(['https://acme.dev/a', 'http://WWW.Acme.dev/', 'https://mail.acme.dev', 'mailto:a@b.example']),
  ).toEqual([])
  expect(foreign(['https://bücher.example/'], { ...SENDER, from: 'a@mail.bücher.example' })).toEqual([])
})

test('each other host is told once, and weighs less where the sender has links of its own', () => {
  const hrefs = [
    'https://shop.example/a',
    'https://shop.example/b',
    'https://acme.dev.example/',
    'http://localhost/',
    '//',
  ]
  const title = 'A link leads to another domain than acme.dev'

  expect(foreign(hrefs).map(({ detail, at }) => [detail, at])).toEqual([
    ['shop.example', 0],
    ['acme.dev.example', 2],
  ])
  expect(told(foreign(hrefs))).toEqual([`notice major ${title}`, `notice major ${title}`])
  expect(told(foreign([...hrefs, 'https://acme.dev/']))).toEqual([`notice minor ${title}`, `notice minor ${title}`])
  expect(foreign(Array.from({ length: 2_000 }, (_, index) => `https://h${index}.example`))).toHaveLength(26)
})

test('what is counted goes through a host of the sender', () => {
  const through = (clicks: string | null, opens: string | null) =>
    told(findTrackingFaults({ ...SENDER, tracking: { clicks, opens } }))

  expect(through(null, null)).toEqual([])
  expect(through('links.acme.dev', 'links.acme.dev')).toEqual([])
  expect(through('post.example', null)).toEqual([
    'notice major Click tracking goes through another domain than acme.dev',
  ])
  expect(through('links.acme.dev', '192.0.2.1')).toEqual([
    'notice major Open tracking goes through another domain than acme.dev',
  ])
})
