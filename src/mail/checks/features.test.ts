import { expect, test } from 'vitest'
import { terminates } from '../../../test/harness/watchdog.ts'
import { visitHtml } from '../html-visitor.ts'
import { atOnce, type Steps } from '../steps.ts'
import { type CssPart, visitCss } from './css.ts'
import { BY_LOOKING, featuresNamed, namesOf, UNSEEN } from './feature-names.ts'
import { collectFeatures } from './features.ts'
import { featuresOfSelector } from './selectors.ts'
import { FEATURES } from './support.ts'

function featuresOf(html: string): string[] {
  const features = collectFeatures()
  atOnce(visitHtml(html, features.visitor))
  atOnce(features.readSheets())
  return [...features.uses.keys()].sort()
}

test('every feature of the data is looked for, or is known to be one that nobody can see', () => {
  const lost = FEATURES.filter(
    ([slug, title]) => !BY_LOOKING.has(slug) && !UNSEEN.has(slug) && namesOf(slug, title).length === 0,
  )
  const gone = [...BY_LOOKING, ...UNSEEN].filter((slug) => !FEATURES.some(([known]) => known === slug))

  expect(lost).toEqual([])
  expect(gone).toEqual([])
})

test.each([
  ['<video></video>', ['html-video']],
  ['<h3>x</h3>', ['html-h1-h6']],
  ['<input type="radio" required>', ['html-input-radio', 'html-required']],
  ['<a href="mailto:a@b.example">x</a>', ['html-mailto-links']],
  ['<a href="#x">x</a>', ['html-anchor-links']],
  ['<img src="https://x.example/a.WEBP?x=1">', ['html-img', 'image-webp']],
  ['<img src="data:image/svg+xml,x">', ['html-img', 'image-base64', 'image-svg']],
  ['<meta name="color-scheme" content="light">', ['html-meta-color-scheme']],
  ['<!doctype html>', ['html-doctype']],
  ['<!-- x -->', ['html-comments']],
  ['<!--[if mso]><table><![endif]--><!--[if !mso]><!--><!--<![endif]-->', []],
  ['<i style="border-top:1px solid">', ['css-border', 'css-unit-px']],
  [
    '<i style="display: inline-flex; flex-direction:column">',
    ['css-display', 'css-display-flex', 'css-flex-direction'],
  ],
  [
    '<i style="width: calc(100% - 2rem) !important">',
    [...['css-important', 'css-unit-calc', 'css-unit-percent'], 'css-unit-rem', 'css-width'],
  ],
  ['<i style="color: var(--x)">', ['css-variables']],
  ['<i style="background:url(a.avif) #1e1e1e">', ['css-background', 'image-avif']],
  ['<i style="font-family:\'1vw\', system-ui">', ['css-sytem-ui']],
])('%s uses %j', (html, expected) => {
  expect(featuresOf(html)).toEqual([...expected].sort())
})

test('style sheets are read: rules, selectors, media, declarations and their comments', () => {
  const css = `
    /* all */
    @import url("a.css");
    @font-face { font-family: X; src: url(x.woff) }
    @media (prefers-color-scheme: dark) and (orientation: portrait) {
      .a.b > td:hover::before { object-fit: cover }
    }
    @keyframes x { from { opacity: 0 } 50% { opacity: 1 } }
    .card { & b { gap: 1ch } }`

  expect(featuresOf(`<style>${css}</style><i class="a b card">`)).toEqual(
    [
      ...['css-at-font-face', 'css-at-import', 'css-at-keyframes', 'css-at-media', 'css-at-media-orientation'],
      ...['css-at-media-prefers-color-scheme', 'css-comments', 'css-gap', 'css-nesting', 'css-object-fit'],
      ...['css-opacity', 'css-pseudo-class-hover', 'css-pseudo-element-before', 'css-selector-chaining'],
      ...['css-selector-child', 'css-selector-class', 'css-selector-type', 'css-unit-ch', 'html-style'],
    ].sort(),
  )
})

test.each([
  ['a, b', ['grouping', 'type']],
  ['#x .y', ['class', 'descendant', 'id']],
  ['* + p ~ i', ['adjacent-sibling', 'general-sibling', 'type', 'universal']],
  ['[href^="a > b, c"]', ['attribute']],
])('the selector %s', (selector, expected) => {
  expect([...featuresOfSelector(selector)].sort()).toEqual(expected.map((name) => `css-selector-${name}`))
})

test('a style sheet that is broken gives what browsers would see of it', () => {
  const declarations = (css: string) => {
    const parts: CssPart[] = []
    atOnce(visitCss(css, (part) => parts.push(part)))
    return parts.flatMap((part) => (part.kind === 'declaration' ? [`${part.property}:${part.value}`] : []))
  }

  expect(declarations('a{b:c;d:"};{";e:url(x;y)}f{g:h')).toEqual(['b:c', 'd:"};{"', 'e:url(x;y)', 'g:h'])
  expect(declarations('a{b:"c\nd:e}f{g:h}')).toEqual(['b:"c\nd:e', 'g:h'])
  expect(declarations('}}a{b:c/*;d:e;*/;f:g}')).toEqual(['b:c', 'f:g'])
})

test('names that are features of nothing are none', () => {
  expect(featuresNamed('property', 'constructor')).toEqual([])
  expect(featuresOf('<constructor style="__proto__:1px" toString>')).toEqual(['css-unit-px'])
})

function stepsOf(steps: Steps<unknown>): number {
  let count = 1
  while (!steps.next().done) count += 1
  return count
}

test.each([';', '{', '}', 'a', '(', '/**/', 'a{b:c}'])('a style sheet of %j is read in short steps', (piece) => {
  const features = collectFeatures()
  atOnce(visitHtml(`<style>${piece.repeat(100_000 / piece.length)}</style>`, features.visitor))

  expect(stepsOf(features.readSheets())).toBeGreaterThanOrEqual(50)
})

test('what mails use is looked for in a thousand style sheets, and empty ones are none', () => {
  const features = collectFeatures()
  atOnce(visitHtml(`${'<style></style>'.repeat(10)}${'<style>a{}</style>'.repeat(1_100)}`, features.visitor))

  expect(features.sheets).toHaveLength(1_000)
})

// What costs more than its length is bounded by it: the square of so few characters is some milliseconds.
test.each([
  ['selector', 2_048, 'css-selector-attribute', (before: string) => `${before}a[b]{}`, '*,'],
  ['value', 1_024, 'css-unit-calc', (before: string) => `a{b:${before}calc(1px)}`, 'x '],
])('of a %s the first %d characters are looked at', (_, length, feature, cssOf, piece) => {
  const isFound = (count: number) => featuresOf(`<a><style>${cssOf(piece.repeat(count))}</style>`).includes(feature)

  expect(isFound(length / piece.length - 10)).toBe(true)
  expect(isFound(length / piece.length)).toBe(false)
})

test.each([
  ['selector', 'brackets', 'css-selector-attribute', `${'['.repeat(2_040)}{}`],
  ['value', 'a name without an end', 'css-unit-calc', `a{b:${'a'.repeat(1_020)}}`.repeat(2)],
])('a %s of %s does not go back and forth', (_, __, feature, css) => {
  expect(terminates(() => featuresOf(`<style>${css.repeat(100)}</style>`))).not.toContain(feature)
})
