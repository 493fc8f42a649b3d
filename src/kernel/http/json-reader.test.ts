import fc from 'fast-check'
import Type, { type TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { MAX_DEPTH, MAX_TEXT_BYTES, MAX_VALUES } from './json-limits.ts'
import { JsonReader } from './json-reader.ts'
import { putLongValues } from './long-values.ts'
import { Problem } from './problem.ts'
import { BYTES } from './shapes.ts'

const Shape = Type.Object({ files: Type.Array(Type.Object({ content: Type.Unsafe<unknown>({ ...BYTES }) })) })

/** As `body.ts` does it, in chunks of these sizes. */
async function read(json: string | Buffer, sizes: readonly number[] = [], { takesBytes = true, isLong = false } = {}) {
  const reader = new JsonReader({ takesBytes })
  let rest = Buffer.from(json)
  for (const size of [...sizes, rest.length]) {
    reader.write(rest.subarray(0, size))
    rest = rest.subarray(size)
  }
  const { text } = reader
  if (text !== null && !isLong) return JSON.parse(text)
  const { text: outline, longValues } = reader.outline
  return putLongValues(JSON.parse(outline), longValues, Shape as TSchema)
}

const refusal = (json: string, sizes?: readonly number[]) =>
  read(json, sizes).then(
    () => 'read',
    (error) => (error instanceof Problem ? error.message : String(error)),
  )

describe('a body that comes in chunks', () => {
  test('is what it would be in one, wherever it is cut', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 })
    const property = fc.asyncProperty(
      fc.jsonValue({ maxDepth: 5 }),
      sizes,
      fc.boolean(),
      async (value, cuts, isLong) => {
        const json = JSON.stringify(
          { value, ' names too ': [0, 255, 7, '\u{1f426}\\"', 256, 1.5, -1] },
          null,
          isLong ? 1 : 0,
        )
        expect(await read(json, cuts, { isLong })).toEqual(JSON.parse(json))
      },
    )
    await fc.assert(property, { numRuns: 500 })
  })

  test('may have a byte order mark in front of it', async () => {
    const long = { html: 'x'.repeat(300_000) }

    expect(await read('\ufeff{"a":1}', [1, 1])).toEqual({ a: 1 })
    expect(await read(`\ufeff${JSON.stringify(long)}`, [70_000])).toEqual(long)
    expect(await refusal('\ufeff\ufeff{}')).toContain('JSON')
  })

  test('keeps its escapes, also the strange ones', async () => {
    const json = '{"a":"\\u0041\\/\\n\\"\\ud83d\\udc26\\\\","b":"é🐦"}'

    for (let at = 1; at < Buffer.byteLength(json); at++)
      expect([at, await read(json, [at, 1, 1], { isLong: true })]).toEqual([at, JSON.parse(json)])
  })

  test('may have lists of small numbers that are no files', async () => {
    const lists = [
      '[]',
      '[ ]',
      '[1]',
      '[0,255]',
      '[ 1 , 2 ]',
      '[256]',
      '[1,-2]',
      '[1,2.5]',
      '[1e3]',
      '[[1],[2]]',
      '[1,"a"]',
    ]

    for (const list of lists)
      for (let at = 1; at < list.length + 5; at++)
        expect([list, at, await read(`{"x":${list}}`, [at], { isLong: true })]).toEqual([
          list,
          at,
          { x: JSON.parse(list) },
        ])
    for (const list of ['[1 2]', '[1,]', '[,1]', '[01]', '[1', '[']) {
      const cut = read(`{"x":${list}}`, [6], { isLong: true })
      await expect(cut, list).rejects.toThrow()
    }
  })
})

describe('the content of a file', () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256))
  const content = bytes.toString('base64')

  test.each([
    ['base64', content],
    ['a Buffer', { type: 'Buffer', data: [...bytes] }],
    ['a list', [...bytes]],
  ])('arrives as base64 when it is sent as %s', async (_, given) => {
    const json = JSON.stringify({ files: [{ content: given, name: 'a' }], other: [1, 2] })
    const sizes = Array.from({ length: 30 }, () => 65_536)

    expect(await read(json, sizes)).toEqual({ files: [{ content, name: 'a' }], other: [1, 2] })
  })

  test('may have the slashes of PHP', async () => {
    const json = `{"files":[{"content":"${content.replaceAll('/', '\\/')}"}]}`

    expect(await read(json, [1_000, 65_536, 65_535])).toEqual({ files: [{ content }] })
  })

  test('may be text, with characters that lie across two chunks', async () => {
    const text = `${'x'.repeat(300_000)}é🐦€\n"ü"`
    const json = JSON.stringify({ files: [{ content: text }] })

    for (let cut = 300_010; cut < 300_045; cut++)
      expect(await read(json, [1_000, cut - 1_000, 1, 1])).toEqual({ files: [{ content: text }] })
    await expect(
      read(Buffer.concat([Buffer.from(json).subarray(0, 300_020), Buffer.from([0xf0, 0x9f]), Buffer.from('"}]}')])),
    ).rejects.toThrow('UTF-8')
  })

  test('is only looked for where files are', async () => {
    const numbers = [...bytes.subarray(0, 50_000)]
    const json = JSON.stringify({ numbers, padding: 'x'.repeat(300_000) })

    expect((await read(json)).numbers).toEqual(numbers)
    expect(await refusal(JSON.stringify({ numbers: [...bytes], padding: 'x'.repeat(300_000) }))).toMatch(
      /too many values/,
    )
  })
})

describe('a body is refused', () => {
  test('for its depth', async () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

    expect(await read(deep(MAX_DEPTH))).toEqual(JSON.parse(deep(MAX_DEPTH)))
    expect(await refusal(deep(MAX_DEPTH + 1))).toBe('The request body is nested too deeply. It can have 64 levels.')
    expect(await refusal('{"a":'.repeat(100_000))).toMatch(/nested/)
    expect(await read(JSON.stringify(`${'['.repeat(1_000)}"{`))).toContain('[[[')
  })

  test('for the number of different names of its fields, however it is cut', async () => {
    const fields = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `"k${from + n}":"v${n}"`).join()
    const cuts = Array.from({ length: 20 }, (_, n) => 5_003 + n)

    expect(await refusal(`{${fields(95_000)}}`, cuts)).toContain('It can have 5000')
    expect(await refusal(`[${Array.from({ length: 30_000 }, (_, n) => `{"k${n}":{}}`).join()}]`)).toContain('5000')
    expect(await refusal(`{${fields(5_000)}}`, cuts)).toBe('read')
    // Values are no names, and names that come again are not different ones.
    expect(await refusal(`[${Array.from({ length: 60_000 }, (_, n) => `"${n}"`).join()}]`)).toBe('read')
    expect(await refusal(`[${Array.from({ length: 200 }, () => `{${fields(200)}}`).join()}]`, cuts)).toBe('read')
  })

  test('for the number of its values, in the middle', async () => {
    const most = JSON.stringify(Array.from({ length: MAX_VALUES - 1 }, () => 1))

    expect(await read(most)).toHaveLength(MAX_VALUES - 1)
    for (const value of ['{}', '[]', '1.5', '""', '{"a":1}', 'null', '256'])
      expect([value, await refusal(`[${`${value},`.repeat(MAX_VALUES)}`)]).toEqual([
        value,
        'The request body has too many values. It can have 100000.',
      ])
  })

  test('for one text, by its name', async () => {
    const html = 'x'.repeat(MAX_TEXT_BYTES)

    expect((await read(JSON.stringify([{ html }])))[0].html).toBe(html)
    expect(await refusal(JSON.stringify([{ html: `${html}x` }]))).toBe(
      'Invalid `[0].html` field. It must be at most 5 MB.',
    )
  })

  test('for a name that is none', async () => {
    expect(await refusal(JSON.stringify({ ['x'.repeat(300_000)]: 1 }))).toBe('The name of a field is too long.')
  })

  test('for what is no JSON and no UTF-8', async () => {
    const long = 'x'.repeat(300_000)
    for (const json of [`{"a":"${long}\n"}`, `{"a":"${long}\\x"}`, `{"a":"${long}`, `{"a":[1,2`, `"\\u12`])
      expect(await refusal(json, [300_005])).toBe('The request body is not valid JSON.')
    await expect(read(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).rejects.toThrow('UTF-8')
    await expect(
      read(Buffer.concat([Buffer.from(`["${long}`), Buffer.from([0xff]), Buffer.from('"]')])),
    ).rejects.toThrow('UTF-8')
  })
})

test('a text with more than a chunk that calls itself by a mark is only a text', async () => {
  const long = 'y'.repeat(300_000)

  expect(await read(JSON.stringify({ __proto__x: long, constructor: long, list: [long, 'short'] }))).toEqual({
    __proto__x: long,
    constructor: long,
    list: [long, 'short'],
  })
})
