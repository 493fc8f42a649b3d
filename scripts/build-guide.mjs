// The guide at /docs/guide: the Markdown of `docs` as pages, with a search that needs no server. Made when the program is built, so that a running service
// only sends files.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { Marked } from 'marked'
import MiniSearch from 'minisearch'
import { removeAtExit, root, stamp } from './prepare.mjs'

export const GUIDE_URL = '/docs/guide'
const REPOSITORY = 'https://github.com/postwren/postwren/blob/main'
/** The front page, and in the order of its links the table of contents. */
const FRONT = 'docs/index.md'
/** What is a page besides the Markdown in `docs`. */
const MORE_PAGES = ['CHANGELOG.md', 'SECURITY.md']

/** Of the repository: what becomes a page. */
export const guideFiles = () => [
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join('docs', ...name.split(/[\\/]/))),
  ...MORE_PAGES,
]

/** `docs/operations/going-live.md` is at `operations/going-live`, the front page at nothing. */
export const pathOf = (file) =>
  file === FRONT
    ? ''
    : file
        .replace(/^docs\//, '')
        .replace(/\.md$/, '')
        .toLowerCase()

const addressOf = (file) => [GUIDE_URL, pathOf(file)].filter(Boolean).join('/')

/** As GitHub makes them, so that a link works in both places. */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

/** Where a link of a page leads: to another page, or to the repository. */
export function linkFrom(file, href, files) {
  if (/^[a-z]+:|^#|^\//i.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = posix.normalize(posix.join(posix.dirname(file), path))
  const end = anchor === undefined ? '' : `#${anchor}`
  if (files.includes(target)) return `${addressOf(target)}${end}`
  return `${REPOSITORY}/${target}${end}`
}

const escapeHtml = (text) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign])
const plain = (html) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/&amp;/g, '&')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/\s+/g, ' ')
    .trim()

/** One page: its title, its html, and its sections for the search. */
export function renderPage(file, files) {
  const sections = []
  const taken = new Map()
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens)
        const anchor = anchorOf(plain(html))
        const count = taken.get(anchor) ?? 0
        taken.set(anchor, count + 1)
        const id = count === 0 ? anchor : `${anchor}-${count}`
        sections.push({ anchor: depth === 1 ? '' : id, heading: plain(html) })
        return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(linkFrom(file, href, files))}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text }) {
        return `<img src="${GUIDE_URL}/images/${escapeHtml(posix.basename(href))}" alt="${escapeHtml(text)}" loading="lazy">`
      },
      table(token) {
        const cells = (row, tag) =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
        return `<div class="table"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${rows}</tbody></table></div>\n`
      },
    },
  })
  const html = marked.parse(readFileSync(join(root, file), 'utf8'))
  const title = sections[0]?.heading ?? file
  const texts = html.split(/<h[1-6] id=[^>]*>.*?<\/h[1-6]>/s).slice(1)
  return {
    file,
    title,
    html,
    sections: sections.map((section, index) => ({ ...section, text: plain(texts[index] ?? '') })),
  }
}

/** The headings of the front page with the pages below each. */
export function contentsOf(files) {
  const groups = []
  for (const line of readFileSync(join(root, FRONT), 'utf8').split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1]
    if (heading) groups.push({ heading, pages: [] })
    for (const [, name, href] of line.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)) {
      const target = posix.normalize(posix.join(posix.dirname(FRONT), href))
      if (groups.length > 0 && files.includes(target)) groups.at(-1).pages.push({ name, file: target })
    }
  }
  return groups
}

function navigationOf(groups, current) {
  const item = ({ name, file }) =>
    `<li><a href="${addressOf(file)}"${file === current ? ' aria-current="page"' : ''}>${escapeHtml(name)}</a></li>`
  return groups
    .map(({ heading, pages }) => `<h2>${escapeHtml(heading)}</h2><ul>${pages.map(item).join('')}</ul>`)
    .join('')
}

function pageOf({ file, title, html }, groups) {
  const order = [{ name: 'Guide', file: FRONT }, ...groups.flatMap(({ pages }) => pages)]
  const index = order.findIndex((page) => page.file === file)
  const neighbour = (page, rel, words) =>
    page
      ? `<a rel="${rel}" href="${addressOf(page.file)}"><small>${words}</small>${escapeHtml(page.name)}</a>`
      : '<span></span>'
  const steps =
    index < 0
      ? ''
      : `<nav class="steps" aria-label="Pages">${neighbour(order[index - 1], 'prev', 'Previous')}${neighbour(order[index + 1], 'next', 'Next')}</nav>`
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)} · Postwren</title>
    <link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${GUIDE_URL}/guide.css">
    <script src="${GUIDE_URL}/guide.js" defer></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to content</a>
    <header>
      <a class="brand" href="${GUIDE_URL}"><img src="/docs/icon.svg" alt="" width="24" height="24">Postwren guide</a>
      <search>
        <input type="search" id="search" placeholder="Search the guide" aria-label="Search the guide" autocomplete="off" aria-controls="results">
        <ol id="results" hidden></ol>
      </search>
      <a class="reference" href="/docs">API reference</a>
    </header>
    <div class="columns">
      <nav class="contents" aria-label="Contents">${navigationOf(groups, file)}</nav>
      <main id="content">
        ${html}
        ${steps}
      </main>
    </div>
  </body>
</html>
`
}

/** What the browser loads with the first letter. */
function searchIndexOf(pages) {
  const index = new MiniSearch({
    fields: ['heading', 'title', 'text'],
    storeFields: ['heading', 'title', 'url', 'excerpt'],
  })
  const sections = pages.flatMap(({ file, title, sections }) =>
    sections.map(({ anchor, heading, text }) => ({
      url: `${addressOf(file)}${anchor ? `#${anchor}` : ''}`,
      ...{ title, heading, text, excerpt: text.slice(0, 140) },
    })),
  )
  index.addAll(sections.map((section, id) => ({ id, ...section })))
  return JSON.stringify(index)
}

export async function buildGuideInto(folder) {
  const files = guideFiles()
  const groups = contentsOf(files)
  const pages = files.map((file) => renderPage(file, files))
  for (const page of pages) {
    const target = join(folder, 'pages', `${pathOf(page.file) || 'index'}.html`)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, pageOf(page, groups))
  }
  // Those that a page shows. What it only links to is in the repository: a container image counts each megabyte.
  const shown = new Set(
    pages.flatMap(({ html }) => [...html.matchAll(/\/docs\/guide\/images\/([\w.-]+)/g)].map(([, name]) => name)),
  )
  for (const name of shown) cpSync(join(root, 'docs/images', name), join(folder, 'images', name))
  cpSync(join(root, 'guide/guide.css'), join(folder, 'guide.css'))
  await build({
    entryPoints: [join(root, 'guide/guide.js')],
    outfile: join(folder, 'guide.js'),
    ...{ bundle: true, minify: true, format: 'iife', target: 'es2022', logLevel: 'warning', legalComments: 'inline' },
  })
  const search = searchIndexOf(pages)
  writeFileSync(join(folder, 'search.json'), search)
  writeFileSync(join(folder, 'search.json.gz'), gzipSync(search, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  writeFileSync(join(folder, 'search.json.br'), brotliCompressSync(search, { params }))
}

/** Built aside and put in place when it is complete: a build that fails leaves the last one alone. */
async function buildGuide() {
  const folder = join(root, 'dist-guide')
  const next = join(root, `dist-guide.next-${process.pid}`)
  removeAtExit(next)
  mkdirSync(next)
  await buildGuideInto(next)
  stamp(next)
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true })
  renameSync(next, folder)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildGuide()
