import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { atOnce } from '../steps.ts'
import { checkContent } from './check-content.ts'
import { CLIENT_SHARES } from './client-shares.ts'
import { FEATURES, supportOf } from './support.ts'

const RECEIPT = readFileSync(new URL('golden/receipt.html', import.meta.url), 'utf8')

const check = (html: string) =>
  atOnce(
    checkContent({ html, text: null, headers: [], recipients: 1, files: [], sender: null, targetOf: (href) => href }),
  )

/** As the page of a message shows them: what is major, and each kind of it once. */
const shown = (html: string, kind?: string) => [
  ...new Set(
    check(html)
      .findings.filter(({ impact, check }) => impact === 'major' && (kind === undefined || check === kind))
      .map(({ check, severity, title }) => `${check} ${severity} ${title}`),
  ),
]

test('of a sound mail a handful is shown, though no client supports all that it uses', () => {
  const { findings } = check(RECEIPT)

  expect(findings.length).toBeGreaterThan(30)
  expect(shown(RECEIPT)).toEqual([
    expect.stringMatching(/^clients warning visibility is not supported by \d+ mail clients$/),
    expect.stringMatching(/^clients warning rgba\(\) is not supported by \d+ mail clients$/),
    'text warning No text part',
  ])
})

test('what harms nobody is minor, and what breaks the layout of many is not', () => {
  const findings = check(
    '<p style="border-radius:4px;box-shadow:0 0 1px red;display:flex;position:fixed">x</p>',
  ).findings
  const impactOf = (title: string) => {
    const finding = findings.find((one) => one.title.startsWith(title))
    return [finding?.impact, finding?.severity]
  }

  expect(impactOf('border-radius')).toEqual(['minor', 'notice'])
  expect(impactOf('box-shadow')).toEqual(['minor', 'notice'])
  expect(impactOf('display:flex')).toEqual(['major', 'warning'])
  expect(impactOf('position')).toEqual(['major', 'warning'])
})

test('the share is that of the readers whose clients do not support it', () => {
  const { share, clients } = check('<p style="position:fixed">x</p>').findings.find(({ title }) =>
    title.startsWith('position'),
  )!
  const missing = supportOf('css-position').clients.filter(({ support }) => support === 'no')
  const expected = missing.reduce((sum, { name }) => sum + (CLIENT_SHARES[name] ?? 0), 0)

  expect(clients).toHaveLength(missing.length)
  expect(share).toBeCloseTo(expected, 1)
  expect(check('<a href="#">x</a>').findings.find(({ check }) => check === 'links')!.share).toBeNull()
})

test('shares are of a hundred readers, and of clients that the data knows', () => {
  const known = new Set(FEATURES.flatMap(([slug]) => supportOf(slug).clients.map(({ name }) => name)))

  expect(Object.values(CLIENT_SHARES).reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 0)
  expect(Object.keys(CLIENT_SHARES).filter((name) => !known.has(name))).toEqual([])
})

test('rules of a framework that choose nothing in the mail are not told', () => {
  const css = '.row .columns{position:fixed} #menu{display:flex} .a.b{float:left} p{clear:both}'

  expect(shown(`<style>${css}</style><p class="a" style="margin:0">x</p>`, 'clients').join()).toMatch(
    /^clients warning clear/,
  )
  expect(
    shown(`<style>${css}</style><p class="row a b" id="menu"><i class="columns"></i></p>`, 'clients'),
  ).toHaveLength(4)
})
