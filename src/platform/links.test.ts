import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPublicName, LinkSigner } from './links.ts'

const links = new LinkSigner([Buffer.alloc(32, 'key')])
const NOW = new Date('2026-07-01T12:00:00Z')
const later = (ms: number) => new Date(NOW.getTime() + ms)

describe('a signed link', () => {
  test('gives back what it was made of, and only that', () => {
    const property = fc.property(fc.dictionary(fc.string(), fc.string()), (payload) => {
      const { exp: _reserved, ...rest } = payload
      expect(links.read('download', links.sign('download', rest, later(1)), NOW)).toEqual(rest)
      expect(links.read('download', links.sign('download', rest, null), later(1e15))).toEqual(rest)
    })
    fc.assert(property)
  })

  test('fits into a path as it is', () => {
    const token = links.sign('download', { to: '🐦/?#&+ "@example.com' }, later(1))

    expect(token).toMatch(/^[\w-]+\.[\w-]+$/)
  })

  test('ends when it says so', () => {
    const token = links.sign('download', { id: '1' }, later(1_000))

    expect(links.read('download', token, later(1_000))).toEqual({ id: '1' })
    expect(links.read('download', token, later(1_001))).toBeNull()
  })

  test('is good for its purpose only, and for its installation only', () => {
    const token = links.sign('download', { id: '1' }, null)

    expect(links.read('unsubscribe', token, NOW)).toBeNull()
    expect(links.read('download\0', token, NOW)).toBeNull()
    expect(new LinkSigner([Buffer.alloc(32, 'other')]).read('download', token, NOW)).toBeNull()
  })

  test('with any character changed, added or missing is no link', () => {
    const token = links.sign('download', { id: '1', team: '2' }, later(1_000))
    const place = fc.nat(token.length - 1)
    const changes = fc.oneof(
      fc
        .tuple(place, fc.string({ minLength: 1, maxLength: 3 }))
        .map(([at, text]) => token.slice(0, at) + text + token.slice(at + 1)),
      fc.tuple(place, fc.string({ minLength: 1 })).map(([at, text]) => token.slice(0, at) + text + token.slice(at)),
      place.map((at) => token.slice(0, at) + token.slice(at + 1)),
      fc.string().map((text) => token + text),
      fc.string(),
    )
    const property = fc.property(changes, (changed) => {
      if (changed !== token) expect(links.read('download', changed, NOW)).toBeNull()
    })
    fc.assert(property, { numRuns: 2_000 })
  })
})

test('a link that was made for a host is good there, and where nobody sees a name', () => {
  const token = links.sign('click', { id: '1' }, null, 'https://Links.acme.dev:8443/base')
  const readAt = (host: string) => links.readAt(host, 'click', token, NOW)

  for (const host of [
    'links.acme.dev',
    'LINKS.acme.dev',
    'localhost',
    '127.0.0.1',
    '[::1]',
    'postwren',
    'api.localhost',
  ])
    expect([host, readAt(host)]).toEqual([host, { id: '1', h: 'links.acme.dev' }])
  for (const host of ['acme.dev', 'links.acme.dev.evil.dev', 'links.globex.dev'])
    expect([host, readAt(host)]).toEqual([host, null])
  expect(links.readAt('links.globex.dev', 'click', links.sign('click', { id: '1' }, null), NOW)).toEqual({ id: '1' })
  expect(isPublicName('')).toBe(false)
})
