import { expect, test } from 'vitest'
import { readReportRecord, reportFileOf, reportMessageOf, tlsReportOf } from './tls-report.ts'

test.each([
  [['v=TLSRPTv1; rua=mailto:tls@example.com'], { mailboxes: ['tls@example.com'], urls: [] }],
  [
    ['v=TLSRPTv1;rua=https://example.com/v1/tls?x=1 , mailto:a%2Bb@example.com;'],
    { mailboxes: ['a+b@example.com'], urls: ['https://example.com/v1/tls?x=1'] },
  ],
  [['v=spf1 -all', 'v=TLSRPTv1; rua=mailto:a@b.example'], { mailboxes: ['a@b.example'], urls: [] }],
  [['v=TLSRPTv1; rua=mailto:a@b.example', 'v=TLSRPTv1; rua=mailto:c@d.example'], null],
  [['v=TLSRPTv1; rua=http://example.com/'], null],
  [['v=TLSRPTv1; rua=mailto:a@b.example%0d%0aBcc:c@d.example'], null],
  [['v=TLSRPTv1; rua=mailto:%zz'], null],
  [['v=TLSRPTv1;'], null],
  [[], null],
])('%j wants reports at %j', (texts, targets) => {
  expect(readReportRecord(texts)).toEqual(targets)
})

test('a domain has three places for reports, and no more', () => {
  const many = Array.from({ length: 50 }, (_, n) => `mailto:m${n}@example.com`).join(',')

  expect(readReportRecord([`v=TLSRPTv1; rua=${many}`])?.mailboxes).toHaveLength(3)
})

const place = { mxHost: 'mx.example.com', mxAddress: '192.0.2.1', localAddress: '192.0.2.9', reason: '' }
const subject = {
  submitter: 'mail.example.org',
  contact: 'no-reply@example.org',
  domain: 'example.com',
  day: '2026-11-17',
  counts: [
    { policy: 'sts', result: 'success', mxHost: '', mxAddress: '', localAddress: '', reason: '', sessions: 40 },
    { policy: 'sts', result: 'certificate-expired', ...place, sessions: 2 },
    { policy: 'no-policy-found', result: 'starttls-not-supported', ...place, sessions: 1 },
  ],
  policy: {
    lines: ['version: STSv1', 'mode: testing', 'mx: mx.example.com', 'max_age: 86400'],
    mx: ['mx.example.com'],
  },
} as const

test('a report says what happened under each policy', () => {
  expect(tlsReportOf(subject)).toEqual({
    'organization-name': 'mail.example.org',
    'date-range': { 'start-datetime': '2026-11-17T00:00:00Z', 'end-datetime': '2026-11-17T23:59:59Z' },
    'contact-info': 'no-reply@example.org',
    'report-id': '2026-11-17_example.com@mail.example.org',
    policies: [
      {
        policy: { 'policy-type': 'no-policy-found', 'policy-domain': 'example.com' },
        summary: { 'total-successful-session-count': 0, 'total-failure-session-count': 1 },
        'failure-details': [
          {
            'result-type': 'starttls-not-supported',
            'sending-mta-ip': '192.0.2.9',
            'receiving-mx-hostname': 'mx.example.com',
            'receiving-ip': '192.0.2.1',
            'failed-session-count': 1,
          },
        ],
      },
      {
        policy: {
          'policy-type': 'sts',
          'policy-string': subject.policy.lines,
          'mx-host': ['mx.example.com'],
          'policy-domain': 'example.com',
        },
        summary: { 'total-successful-session-count': 40, 'total-failure-session-count': 2 },
        'failure-details': [
          {
            'result-type': 'certificate-expired',
            'sending-mta-ip': '192.0.2.9',
            'receiving-mx-hostname': 'mx.example.com',
            'receiving-ip': '192.0.2.1',
            'failed-session-count': 2,
          },
        ],
      },
    ],
  })
})

test('its mail has the form of RFC 8460, and lines of at most 998 characters', () => {
  expect(reportFileOf(subject)).toBe('mail.example.org!example.com!1794873600!1794959999.json.gz')
  const { raw, bodyStart } = reportMessageOf(subject, {
    from: 'Postwren <no-reply@example.org>',
    to: 'tls@example.com',
    packed: Buffer.alloc(5_000, 1),
  })
  const text = raw.toString()

  expect(text.slice(bodyStart)).toMatch(/^--=_tlsrpt/)
  expect(text).toContain('Content-Type: multipart/report; report-type="tlsrpt"')
  expect(text).toContain('\r\nTLS-Report-Domain: example.com\r\nTLS-Report-Submitter: mail.example.org\r\n')
  expect(Math.max(...text.split('\r\n').map(({ length }) => length))).toBeLessThan(998)
  expect(text.replaceAll('\r\n', '')).not.toContain('\n')
})
