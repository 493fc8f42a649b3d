import { expect, test } from 'vitest'
import { type InlineImage, withInlineImages } from './inline-images.ts'

const image = (contentId: string, size: number, reads: string[] = []): InlineImage => ({
  contentId,
  contentType: 'image/png',
  size,
  content: async () => {
    reads.push(contentId)
    return Buffer.alloc(size, contentId)
  },
})

test('images are put in while there is room for them, and stay pointers beyond it', async () => {
  const reads: string[] = []
  const html = `<img src="cid:small">${'<img src="cid:large">'.repeat(500)}<img src="cid:last">`

  const shown = await withInlineImages(html, [
    image('small', 3, reads),
    image('large', 1_000_000, reads),
    image('last', 6, reads),
  ])

  expect(shown).toBe(
    html
      .replace('cid:small', 'data:image/png;base64,c21h'.replace('c21h', Buffer.alloc(3, 'small').toString('base64')))
      .replace('cid:last', `data:image/png;base64,${Buffer.alloc(6, 'last').toString('base64')}`),
  )
  expect(reads).toEqual(['small', 'last'])
})

test('an image may be shown more than once', async () => {
  const shown = await withInlineImages('cid:a cid:A cid:%61 cid:b', [image('a', 1)])

  expect(shown).toBe(`${'data:image/png;base64,YQ== '.repeat(3)}cid:b`)
})

test('the first 5,000 references are looked at', async () => {
  const shown = await withInlineImages('cid:x '.repeat(4_999) + 'cid:a '.repeat(100_000), [image('a', 1)])

  expect(shown).toBe(`${'cid:x '.repeat(4_999)}data:image/png;base64,YQ== ${'cid:a '.repeat(99_999)}`)
})
