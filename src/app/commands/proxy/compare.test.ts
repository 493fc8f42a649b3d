import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { compareBodies, type KnownIds } from './compare.ts'
import { decodeBody } from './decode.ts'
import { learnPairs } from './learn.ts'
import { operationOf } from './operations.ts'
import { LoadedPairs } from './pairs.ts'
import { rewriteRequest } from './rewrite.ts'
import { maskedRoute } from './routes.ts'
import { shortened, shortenedTexts } from './shorten.ts'

const id = (digit: number | string) => `0000000${digit}-0000-4000-8000-000000000000`

/** Objects 1, 2 and 3 of the upstream are a, b and c here. */
const known = new LoadedPairs(
  ['a', 'b', 'c'].map((ours, index) => ({ theirs: id(index + 1), ours: id(ours), started_ms: index, ended_ms: index })),
)
const unknown = new LoadedPairs([])

const paths = (theirs: unknown, ours: unknown, { operation = 'contacts.get', ids = known as KnownIds } = {}) =>
  compareBodies(theirs, ours, { operation, ids }).differences.map(({ path }) => path)

describe('two answers', () => {
  test.each<[string, unknown, unknown, string[]]>([
    ['the same object', { id: id(1) }, { id: id('a') }, []],
    ['another object', { id: id(1) }, { id: id('b') }, ['id']],
    ['one that nobody knows', { id: id(7) }, { id: id('d') }, []],
    [
      'an id in a text of people',
      { variables: { order: id(1) } },
      { variables: { order: id('a') } },
      ['variables.order'],
    ],
    ['null and absent', { a: null }, {}, []],
    ['null and empty', { cc: null }, { cc: [] }, ['cc']],
    ['another type', { a: '1' }, { a: 1 }, ['a']],
    [
      'times of one format',
      { created_at: '2026-01-01 00:00:00.1+00' },
      { created_at: '2026-01-02 00:00:00.25+00' },
      [],
    ],
    ['a time that is none', { created_at: '2026-01-01 00:00:00+00' }, { created_at: null }, ['created_at']],
    ['a schedule', { scheduled_at: '2026-01-01 00:00:00+00' }, { scheduled_at: '2026-01-01 00:01:00+00' }, []],
    [
      'another schedule',
      { scheduled_at: '2026-01-01 00:00:00+00' },
      { scheduled_at: '2026-01-01 01:00:00+00' },
      ['scheduled_at'],
    ],
    ['secrets', { token: 're_a' }, { token: 're_b' }, []],
    ['a secret that is not there', { token: 're_a' }, {}, ['token']],
    ['names of the language', JSON.parse('{"constructor":1,"__proto__":2}'), {}, ['constructor', '__proto__']],
    ['addresses in another order', { to: ['a', 'b'] }, { to: ['b', 'a'] }, ['to[]']],
    ['fewer addresses', { to: ['a', 'b'] }, { to: ['a'] }, ['to']],
  ])('%s', (_what, theirs, ours, expected) => {
    expect(paths(theirs, ours)).toEqual(expected)
  })

  test('a secret is never shown', () => {
    const { differences } = compareBodies({ signing_secret: 'whsec_a' }, {}, { operation: 'webhooks.get', ids: known })

    expect(JSON.stringify(differences)).not.toContain('whsec_a')
  })

  test('numbers of what happened are compared by their shape', () => {
    const operation = 'emails.metrics'

    expect(paths({ totals: { sent: 1 }, data: [] }, { totals: { sent: 2 }, data: [{}] }, { operation })).toEqual([])
    expect(paths({ totals: { sent: 1 } }, { totals: { sent: 'x' } }, { operation })).toEqual(['totals.sent'])
  })
})

describe('two lists', () => {
  const list = (...ids: string[]) => ({ object: 'list', has_more: false, data: ids.map((one) => ({ id: one })) })

  test.each<[string, object, object, string[]]>([
    ['the same', list(id(1), id(2)), list(id('a'), id('b')), []],
    ['another order', list(id(1), id(2)), list(id('b'), id('a')), ['data[] order']],
    ['one is missing', list(id(1), id(2)), list(id('a')), ['data[]']],
    ['one that only the upstream has', list(id(7), id(1)), list(id('a')), []],
    ['one that only our side has', list(id(1)), list(id('d'), id('a')), []],
    ['a part is known: more is not compared', { ...list(id(7)), has_more: true }, list(), []],
  ])('%s', (_what, theirs, ours, expected) => {
    expect(paths(theirs, ours)).toEqual(expected)
  })

  test('objects that were made at the same time are in any order', () => {
    const together = new LoadedPairs([
      { theirs: id(1), ours: id('a'), started_ms: 0, ended_ms: 10 },
      { theirs: id(2), ours: id('b'), started_ms: 5, ended_ms: 15 },
    ])

    expect(paths(list(id(1), id(2)), list(id('b'), id('a')), { ids: together })).toEqual([])
  })
})

test('objects of lists are told by their names, unless several have one', () => {
  const theirs = { data: [1, 2, 3].map((one) => ({ id: id(one), name: one === 1 ? 'One' : 'Many' })) }
  const ours = {
    data: [
      { id: id('a'), name: 'one' },
      { id: id('b'), name: 'Many' },
    ],
  }

  expect(learnPairs({ isAboutOneObject: false, theirs, ours }, unknown)).toEqual([[id(1), id('a')]])
})

describe('a request for our side', () => {
  const rewrite = (path: string, body: unknown = '', contentType = 'application/json') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const own = rewriteRequest({ path, body: Buffer.from(text), contentType }, (one) => known.ourIdOf(one))
    return { ...own, body: own.body.toString() }
  }

  test.each([
    [`/emails/${id(1)}`, `/emails/${id('a')}`],
    [`/contacts/a@b.c/segments/${id(2)}`, `/contacts/a@b.c/segments/${id('b')}`],
    [`/emails?after=${id(1)}&limit=2`, `/emails?after=${id('a')}&limit=2`],
    [`/emails/metrics?email_id=${id(1)},${id(2)}`, `/emails/metrics?email_id=${id('a')},${id('b')}`],
    [`/contacts/${id(1)}@example.com`, `/contacts/${id(1)}@example.com`],
  ])('%s', (path, expected) => {
    expect(rewrite(path)).toMatchObject({ path: expected, hasUnknownIds: false })
  })

  test('ids in fields that hold ids are ours, and in what people write they stay', () => {
    const { body, hasUnknownIds } = rewrite('/x', {
      segment_id: id(1),
      topics: [{ id: id(2) }],
      segments: [id(3)],
      template: { id: 'welcome', variables: { order: id(1) } },
      html: id(1),
    })

    expect(JSON.parse(body)).toEqual({
      segment_id: id('a'),
      topics: [{ id: id('b') }],
      segments: [id('c')],
      template: { id: 'welcome', variables: { order: id(1) } },
      html: id(1),
    })
    expect(hasUnknownIds).toBe(false)
  })

  test('what has no id of ours is left as it is, byte for byte', () => {
    expect(rewrite('/x', '{ "a" : 1.0 }').body).toBe('{ "a" : 1.0 }')
    expect(rewrite('/x', '{broken').body).toBe('{broken')
    expect(rewrite(`/emails/${id(9)}`).hasUnknownIds).toBe(true)
    expect(rewrite('/x', { topic_id: id(9) }).hasUnknownIds).toBe(true)
  })

  test('a form keeps its length', () => {
    const form = `--x\r\nContent-Disposition: form-data; name="segments"\r\n\r\n${id(1)}\r\n--x--`

    expect(rewrite('/contacts/imports', form, 'multipart/form-data; boundary=x').body).toBe(
      form.replace(id(1), id('a')),
    )
  })
})

test.each([
  ['GET', '/emails/metrics', 'GET /emails/metrics', true],
  ['GET', `//emails/${id(1)}?x=1`, 'GET /emails/:id', true],
  ['HEAD', '/emails', 'GET /emails', true],
  ['POST', '/messages/x/release', 'POST /messages/x/release', false],
  ['GET', '/sandboxes', 'GET /sandboxes', false],
  ['GET', '/new-things/ada@example.com', 'GET /new-things/:id', false],
])('%s %s is %s', (method, path, name, isOurs) => {
  expect(operationOf(method, path)).toMatchObject({ name, isOurs })
})

test('a route names nobody', () => {
  expect(maskedRoute('GET', '/contacts/ada@example.com?key=secret')).toBe('GET /contacts/:id')
  expect(maskedRoute('<b>', '/')).toBe('OTHER /')
})

test('what is shown is short, and hides who it is about', () => {
  expect(shortened('Ada <ada@example.com>')).toBe('Ada <a…@example.com>')
  expect(shortened('a\u001b[31mb')).toBe('a [31mb')
  expect(shortened('x'.repeat(1_000_000)).length).toBeLessThan(70)
  expect(shortenedTexts(`${'a'.repeat(100)}b`, `${'a'.repeat(100)}c`)).toEqual({
    theirs: `at 100 of 101: …${'a'.repeat(12)}b`,
    ours: `at 100 of 101: …${'a'.repeat(12)}c`,
  })
})

test('an answer that unfolds to gigabytes is not unfolded', async () => {
  const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024))

  expect(await decodeBody(bomb, 'gzip')).toBeNull()
  expect(await decodeBody(Buffer.from('x'), 'unheard-of')).toBeNull()
  expect((await decodeBody(gzipSync('{}'), 'gzip'))?.toString()).toBe('{}')
})
