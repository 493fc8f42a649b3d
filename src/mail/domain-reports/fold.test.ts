import { isIP } from 'node:net'
import { expect, test } from 'vitest'
import type { DmarcReport, DmarcRow } from './dmarc-report.ts'
import { foldReport, MAX_ROWS_OF_DAY, originOf, sourcesOf } from './fold.ts'
import { MAX_FAILURES, MAX_POLICIES } from './limits.ts'

const row = (change: Partial<DmarcRow> = {}): DmarcRow => ({
  source: '192.0.2.1',
  count: 1,
  disposition: 'none',
  isSpfAligned: false,
  isDkimAligned: false,
  headerFrom: 'acme.example',
  spf: null,
  dkim: [],
  ...change,
})

const DOMAIN = { name: 'acme.example', returnPathHost: 'send.acme.example', selectors: ['postwren'] }

test('our own mail is known by the return path or by a key of ours, and by nothing that others can have', () => {
  const dkim = { domain: 'acme.example', selector: 'postwren', result: 'pass' }
  const origin = (change: Partial<DmarcRow>) => originOf(row(change), DOMAIN)

  expect(origin({ spf: { domain: 'send.acme.example', result: 'pass' } })).toBe('us')
  expect(origin({ spf: { domain: 'send.acme.example', result: 'fail' } })).toBe('unauthorized')
  expect(origin({ dkim: [dkim], isDkimAligned: true })).toBe('forwarded')
  expect(origin({ dkim: [{ ...dkim, selector: 'crm' }], isDkimAligned: true })).toBe('authorized')
  expect(origin({ dkim: [{ ...dkim, result: 'fail' }] })).toBe('unauthorized')
  expect(origin({ dkim: [{ ...dkim, domain: 'other.example' }] })).toBe('unauthorized')
})

test('rows that are the same are one, and what has no address is none', () => {
  const rows = [
    row({ count: 2 }),
    row({ source: 'nonsense' }),
    row({ count: 3 }),
    row({ source: '2001:DB8::1', count: 9 }),
  ]

  expect(sourcesOf({ rows }, DOMAIN, isIP)).toMatchObject([
    { source: '2001:db8::1', messages: 9 },
    { source: '192.0.2.1', messages: 5 },
  ])
})

const from = new Date('2026-11-17T00:00:00Z')
const report = (rows: readonly DmarcRow[], domain = 'acme.example'): DmarcReport => ({
  ...{ kind: 'dmarc', reporter: 'Reports', reportId: '1', from, to: from, domain, policy: 'none', rows, isCut: false },
})

test('a report about another domain is none', () => {
  const about = (domain: string) => foldReport(report([row()], domain), DOMAIN, isIP)

  expect(about('mail.acme.example')).toMatchObject({ messages: 1, policy: 'none' })
  expect(about('evilacme.example')).toBeNull()
})

test('a report of any size becomes the rows that are kept', () => {
  const rows = Array.from({ length: MAX_ROWS_OF_DAY * 2 }, (_, n) =>
    row({ source: `10.0.${n >> 8}.${n & 255}`, count: n }),
  )
  const details = Array.from({ length: MAX_FAILURES }, (_, n) => ({
    type: 'certificate-expired',
    mx: `mx${n}.example`,
    count: 1,
  }))
  const policies = Array.from({ length: MAX_POLICIES }, (_, n) => ({
    ...{ policyType: `sts${n}`, domain: 'acme.example', successes: 9, failures: 2_000, details },
  }))

  const dmarc = foldReport(report(rows), DOMAIN, isIP)!
  const tls = foldReport({ kind: 'tls', reporter: 'R', reportId: '1', from, to: from, policies }, DOMAIN, isIP)!

  expect(dmarc.rows).toHaveLength(MAX_ROWS_OF_DAY + 1)
  expect(dmarc.rows.at(-1)).toMatchObject({ source: '' })
  expect(dmarc.messages).toBe(rows.reduce((sum, { count }) => sum + count, 0))
  expect(tls.rows).toHaveLength(MAX_ROWS_OF_DAY)
  expect(tls.rows[0]).toMatchObject({ result: 'unknown', mx: '', sessions: 1_000 })
})
