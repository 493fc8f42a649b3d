import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { anchorOf, contentsOf, guideFiles, linkFrom, renderPage } from '../scripts/build-guide.mjs'
import { startApp } from './harness/app.ts'

// The guide is the Markdown of `docs`: what a page links to is there, and a running service shows it.

const files = guideFiles()
const isDecision = (file: string) => file.startsWith('docs/decisions/')

test('every page is in the table of contents once', () => {
  const listed = contentsOf(files).flatMap(({ pages }) => pages.map(({ file }) => file))
  const expected = files.filter((file) => file !== 'docs/index.md' && !isDecision(file))

  expect([...listed].sort()).toEqual([...expected].sort())
})

test('what the table of contents names is there', () => {
  const links = [...readFileSync('docs/index.md', 'utf8').matchAll(/\]\(([^)]+\.md)\)/g)].map(([, link]) => link!)

  expect(links.filter((link) => !existsSync(join('docs', link)))).toEqual([])
})

test('links between pages lead to a page and to a heading that it has', () => {
  const anchors = new Map(
    files.map((file) => [file, renderPage(file, files).sections.map(({ heading }) => anchorOf(heading))]),
  )
  const broken = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\((?![a-z]+:|\/)([^)\s]+)\)/g)].flatMap(([, href]) => {
      const [path = '', anchor] = href!.split('#')
      const target = path === '' ? file : posix.normalize(posix.join(posix.dirname(file), path))
      if (!existsSync(target)) return [`${file}: ${href}`]
      const isKnown = anchor === undefined || !anchors.has(target) || anchors.get(target)!.includes(anchor)
      return isKnown ? [] : [`${file}: ${href}`]
    }),
  )

  expect(broken).toEqual([])
})

test('a link of a page leads to the page of the guide, or to the repository', () => {
  const from = (href: string) => linkFrom('docs/operations/going-live.md', href, files)

  expect(from('limits.md#x')).toBe('/docs/guide/operations/limits#x')
  expect(from('../../SECURITY.md')).toBe('/docs/guide/security')
  expect(from('../../ARCHITECTURE.md')).toMatch(/^https:.*\/ARCHITECTURE\.md$/)
  expect(from('../images/email.png')).toMatch(/^https:.*\/docs\/images\/email\.png$/)
  expect(from('https://example.com/a.md')).toBe('https://example.com/a.md')
})

test('a running service shows the guide, its search and its pictures, and no other file', async () => {
  const app = await startApp()
  const get = (url: string, headers: Record<string, string> = {}) => app.send({ url, headers })

  const front = await get('/docs/guide')
  expect(front.status).toBe(200)
  expect(front.text).toContain('<h1 id="guide">')
  expect(front.headers['content-security-policy']).toContain("default-src 'none'")
  for (const path of ['operations/going-live', 'operations/going-live.md', 'configuration', 'changelog'])
    expect((await get(`/docs/guide/${path}`)).status).toBe(200)
  expect((await get('/docs/guide/search.json')).body).toHaveProperty('documentCount')
  expect((await get('/docs/guide/images/emails.png')).headers['content-type']).toBe('image/png')
  const etag = String(front.headers.etag)
  expect((await get('/docs/guide', { 'if-none-match': etag })).status).toBe(304)

  for (const path of [
    'nothing',
    '../../package.json',
    '%2e%2e/package.json',
    'pages/index.html',
    '.built',
    'search.json.br',
  ])
    expect((await get(`/docs/guide/${path}`)).status).toBe(404)
})
