import { readFileSync } from 'node:fs'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { packed, zipped } from '../../../test/harness/packed.ts'
import { parseMail } from '../parse.ts'
import { readDmarcReport } from './dmarc-report.ts'
import { MAX_ROWS, MAX_XML_BYTES } from './limits.ts'
import { readDomainReport } from './read.ts'

const golden = (name: string) => readFileSync(new URL(`golden/${name}`, import.meta.url))

const attached = (content: Buffer) => ({
  text: null,
  attachments: [{ filename: null, contentType: '', contentId: null, disposition: null, content }],
})

describe('aggregate reports', () => {
  test('in the form of RFC 7489, zipped', () => {
    const read = readDomainReport(attached(zipped('report.xml', golden('google.xml'))), 'dmarc')

    expect(read).toEqual({
      report: {
        kind: 'dmarc',
        reporter: 'reports.example',
        reportId: '1304829475610293847',
        from: new Date('2026-11-17T00:00:00Z'),
        to: new Date('2026-11-17T23:59:59Z'),
        domain: 'acme.example',
        policy: 'none',
        isCut: false,
        rows: [
          {
            source: '192.0.2.10',
            count: 412,
            disposition: 'none',
            isSpfAligned: true,
            isDkimAligned: true,
            headerFrom: 'acme.example',
            spf: { domain: 'send.acme.example', result: 'pass' },
            dkim: [{ domain: 'acme.example', selector: 'postwren', result: 'pass' }],
          },
          expect.objectContaining({ source: '2001:db8::25', count: 3, isSpfAligned: false, isDkimAligned: true }),
          expect.objectContaining({ source: '198.51.100.77', count: 9, isDkimAligned: false, dkim: [] }),
        ],
      },
    })
  })

  test('on one line, with several signatures, gzipped', () => {
    const read = readDomainReport(attached(gzipSync(golden('microsoft.xml'))), 'dmarc')

    expect(read).toMatchObject({
      report: {
        policy: 'quarantine',
        rows: [
          { count: 57, dkim: [{ selector: 'postwren-20260131', result: 'pass' }, { domain: 'relay.example' }] },
          { source: '203.0.113.9', disposition: 'quarantine', spf: { domain: 'spam.example', result: 'none' } },
        ],
      },
    })
  })

  test('about a subdomain, with entities', () => {
    expect(readDmarcReport(golden('yahoo.xml'))).toMatchObject({
      policy: 'reject',
      rows: [{ disposition: 'reject', headerFrom: 'mail.acme.example', dkim: [{ domain: '"acme".example' }] }],
    })
  })

  test('in the form of RFC 9990, with prefixes and extensions', () => {
    expect(readDmarcReport(golden('fastmail.xml'))).toMatchObject({
      reporter: 'Mailbox Host',
      rows: [{ source: '192.0.2.11', disposition: 'none', isDkimAligned: true, headerFrom: 'acme.example' }],
    })
  })

  test.each(['google.xml', 'microsoft.xml', 'yahoo.xml', 'fastmail.xml'])(
    '%s as an attachment of a mail',
    async (name) => {
      for (const how of ['gzip', 'zip', 'plain'] as const) {
        const mail = await parseMail(packed(golden(name), { name, how }))
        expect(readDomainReport(mail, 'dmarc')).toMatchObject({ report: { domain: 'acme.example' } })
      }
    },
  )
})

test('reports about TLS', async () => {
  const mail = await parseMail(packed(golden('tls.json'), { name: 'tls.json', how: 'gzip' }))

  expect(readDomainReport(mail, 'tls')).toEqual({
    report: {
      kind: 'tls',
      reporter: 'Mail Corporation',
      reportId: '2026-11-17T00:00:00Z_acme.example',
      from: new Date('2026-11-17T00:00:00Z'),
      to: new Date('2026-11-17T23:59:59Z'),
      policies: [
        {
          policyType: 'sts',
          domain: 'acme.example',
          successes: 120,
          failures: 5,
          details: [
            { type: 'certificate-expired', mx: 'mx.acme.example', count: 4 },
            { type: 'starttls-not-supported', mx: 'mx.acme.example', count: 1 },
          ],
        },
      ],
    },
  })
})

describe('hostile ones', () => {
  const fault = (content: Buffer | string, kind: 'dmarc' | 'tls' = 'dmarc') =>
    (readDomainReport(attached(Buffer.from(content)), kind) as { fault?: string }).fault
  const google = golden('google.xml').toString()

  test('are not unpacked beyond the bounds', () => {
    const bomb = Buffer.alloc(MAX_XML_BYTES + 1, ' ')

    expect(fault(gzipSync(bomb))).toMatch(/too large/)
    expect(fault(zipped('report.xml', bomb))).toMatch(/too large/)
    expect(fault(gzipSync(bomb), 'tls')).toMatch(/too large/)
    // An archive in an archive is no report.
    expect(fault(gzipSync(gzipSync(google)))).toMatch(/no aggregate report/)
  })

  test('have one bound together, however many files they are', () => {
    const half = gzipSync(Buffer.alloc(MAX_XML_BYTES / 2 + 1, ' '))
    const files = [half, half, gzipSync(google)].flatMap((file) => attached(file).attachments)

    expect(readDomainReport({ text: null, attachments: files }, 'dmarc')).toMatchObject({
      fault: expect.stringMatching(/too large/),
    })
    expect(readDomainReport({ text: null, attachments: files.slice(1) }, 'dmarc')).toMatchObject({
      report: { domain: 'acme.example' },
    })
  })

  test('are damaged, empty, encrypted or something else', () => {
    const archive = zipped('report.xml', Buffer.from(google))
    const encrypted = Buffer.from(archive)
    encrypted[encrypted.indexOf('PK\u0001\u0002', 0, 'latin1') + 8]! |= 1
    const astray = Buffer.from(archive)
    astray.writeUInt32LE(0xfffffff0, astray.length - 6)

    expect(fault(encrypted)).toMatch(/encrypted/)
    expect(fault(astray)).toMatch(/damaged/)
    expect(fault(archive.subarray(0, 60))).toMatch(/damaged/)
    expect(fault(gzipSync(google).subarray(0, 100))).toMatch(/cannot be unpacked/)
    expect(fault(Buffer.concat([Buffer.from([0x1f, 0x8b]), deflateRawSync(google)]))).toMatch(/cannot be unpacked/)
    expect(fault('')).toMatch(/no aggregate report/)
    expect(fault('<html><body>Hello</body></html>')).toMatch(/no aggregate report/)
    expect(fault('[1, 2', 'tls')).toMatch(/no JSON/)
    expect(fault('"report"', 'tls')).toMatch(/no report about TLS/)
    expect(fault('['.repeat(1_000_000), 'tls')).toMatch(/no/)
    expect(readDomainReport({ attachments: [], text: null }, 'dmarc')).toEqual({ fault: 'the mail has no attachment' })
  })

  test('have entities of their own, which are refused', () => {
    const entities = google.replace('<feedback>', '<!DOCTYPE f [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><feedback>')

    expect(fault(entities)).toMatch(/document type/)
    expect(fault(google.replace('>412<', '>&a;412<'))).toBeUndefined()
  })

  test('are nested too deep, or have too many records', () => {
    const [head, record] = google.split('<record>') as [string, string]
    const many = `${head}${`<record>${record}`.repeat(MAX_ROWS + 1)}</feedback>`

    expect(fault(`<feedback>${'<a>'.repeat(100_000)}`)).toMatch(/too deep/)
    const cut = readDmarcReport(Buffer.from(many))
    expect([cut.rows.length, cut.isCut]).toEqual([MAX_ROWS, true])
  })

  test('have numbers and texts that are none', () => {
    const strange = google
      .replace('>412<', '>-1e9<')
      .replace('>3<', '>99999999999999999<')
      .replace('>9<', '>999999999999<')
      .replace('<org_name>reports.example', `<org_name>a\u0000\u0007b${'x'.repeat(5_000)}`)
    const { rows, reporter } = readDmarcReport(Buffer.from(strange))

    expect(rows.map(({ count }) => count)).toEqual([1_000_000_000])
    expect(reporter).toMatch(/^a bx+$/)
    expect(reporter.length).toBeLessThanOrEqual(255)
  })
})
