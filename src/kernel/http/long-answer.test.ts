import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inPieces } from './long-answer.ts'

async function read(answer: object): Promise<unknown> {
  const given = inPieces(answer)
  if (!(Symbol.asyncIterator in given)) return given
  let text = ''
  for await (const piece of given) {
    expect(piece.length).toBeLessThan(1_000_000)
    text += piece
  }
  return JSON.parse(text)
}

test('a long answer is the same in pieces', async () => {
  const html = `${'🐦"\\\n\u2028é'.repeat(60_000)}x`
  const answer = { object: 'email', html, text: `x${html}`, tags: [{ name: 'a' }], none: null, absent: undefined }

  expect(await read(answer)).toEqual(JSON.parse(JSON.stringify(answer)))
})

test('whatever is in it', async () => {
  const property = fc.asyncProperty(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.jsonValue({ maxDepth: 2 }),
    async (text, value) => {
      const answer = { text: text.repeat(Math.ceil(300_000 / text.length)), value }
      expect(await read(answer)).toEqual(JSON.parse(JSON.stringify(answer)))
    },
  )
  await fc.assert(property, { numRuns: 10 })
})

test('a short answer is left as it is', () => {
  const answer = { html: 'x'.repeat(1_000) }

  expect(inPieces(answer)).toBe(answer)
})
