import { expect, test } from 'vitest'
import { beginningOf, withoutPictures } from './html-beginning.ts'

test('mail of an ordinary size is shown whole', () => {
  const html = `<table>${'<tr><td>Hello<br></td></tr>'.repeat(1_000)}</table>`

  expect(beginningOf(html)).toBe(html)
})

test('elements inside of each other are cut off where a browser would take seconds, and those that end are not', () => {
  const deep = '<div>'.repeat(600)

  expect(beginningOf(deep)).toBe('<div>'.repeat(512))
  expect(beginningOf('<div></div>'.repeat(600))).toBe('<div></div>'.repeat(600))
  expect(beginningOf('<p>'.repeat(600))).toBe('<p>'.repeat(600))
})

test('an end without a beginning does not make room for more', () => {
  const html = '</div>'.repeat(1_000) + '<div>'.repeat(513)

  expect(beginningOf(html)).toBe('</div>'.repeat(1_000) + '<div>'.repeat(512))
})

test('a tag of many attributes, and all that follows, is cut off', () => {
  expect(beginningOf(`<b>Hello</b><i ${'a=b '.repeat(5_000)}>later</i>`)).toBe('<b>Hello</b>')
})

test('a text that is far too long ends before a tag, or at the limit', () => {
  expect(beginningOf('x'.repeat(600_000))).toHaveLength(500_000)
  expect(beginningOf(`${'x'.repeat(499_999)}<b>y</b>`)).toHaveLength(499_999)
})

test('large pictures are put aside, each under an address of its own, and small ones stay', () => {
  const large = (letter: string) => `data:image/png;base64,${letter.repeat(3_000)}`
  const small = `<img src="data:image/png;base64,${'a'.repeat(100)}">`

  const { html, pictures } = withoutPictures(`<img src="${large('a')}"><img src="${large('b')}">${small}`)

  expect(html).toBe(`<img src="cid:picture-0@preview"><img src="cid:picture-1@preview">${small}`)
  expect([...pictures.values()]).toEqual([large('a'), large('b')])
})
