import { expect, test } from 'vitest'
import { hasDarkStyles, inScheme } from './mail-scheme.ts'

const sheet = (css: string) => `<html><head><style>${css}</style></head><body>Hi</body></html>`

test('a style for the dark holds in the dark, and not otherwise', () => {
  const mail = sheet('@media (prefers-color-scheme: dark) { p { color: #fff } }')

  expect(inScheme(mail, 'dark')).toBe(sheet('@media (min-width:0) { p { color: #fff } }'))
  expect(inScheme(mail, 'light')).toBe(sheet('@media (max-width:0) { p { color: #fff } }'))
})

test('a style for light, other conditions beside it, and the media of a whole sheet', () => {
  expect(inScheme(sheet('@media screen and ( PREFERS-color-scheme :LIGHT ){}'), 'dark')).toBe(
    sheet('@media screen and (max-width:0){}'),
  )
  expect(inScheme('<style media="(prefers-color-scheme: dark)">p{}</style>', 'dark')).toBe(
    '<style media="(min-width:0)">p{}</style>',
  )
})

test('of the schemes that an element supports the one that is shown', () => {
  expect(inScheme(sheet(':root{color-scheme: light dark; supported-color-schemes: light dark}'), 'dark')).toBe(
    sheet(':root{color-scheme:dark; supported-color-schemes: light dark}'),
  )
  expect(inScheme(sheet(':root{color-scheme:light dark}'), 'light')).toBe(sheet(':root{color-scheme:light}'))
  expect(inScheme(sheet(':root{color-scheme: only light}'), 'dark')).toBe(sheet(':root{color-scheme:light}'))
  expect(inScheme('<td style="color-scheme: light dark">', 'dark')).toBe('<td style="color-scheme:dark">')
})

test('what a mail says in its text stays as it is', () => {
  const mail = `${sheet('p{}')}<p>Write @media (prefers-color-scheme: dark) and color-scheme: light dark</p>`

  expect(inScheme(mail, 'dark')).toBe(mail)
})

test('a sheet without an end changes nothing, and many of them take no time', () => {
  const hostile = '<p title="<style>">(prefers-color-scheme: dark)'.repeat(10_000)

  expect(inScheme(hostile, 'dark')).toBe(hostile)
  expect(hasDarkStyles('<meta '.repeat(80_000))).toBe(false)
})

test.each([
  ['a media query', sheet('@media (prefers-color-scheme:dark){}'), true],
  ['a property', sheet(':root{color-scheme:light dark}'), true],
  ['a tag', '<meta name="color-scheme" content="light dark">', true],
  ['the older tag', '<meta content="light dark" name="supported-color-schemes">', true],
  ['light alone', '<meta name="color-scheme" content="light"><p style="color-scheme:light">darkness', false],
  ['nothing', '<p>It is dark outside', false],
])('dark styles: %s', (_, html, is) => expect(hasDarkStyles(html)).toBe(is))
