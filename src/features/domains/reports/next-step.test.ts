import { expect, test } from 'vitest'
import { readDmarcRecord } from '../../../mail/dmarc-record.ts'
import { type Evidence, nextStep } from './next-step.ts'

const evidence = (change: Partial<Evidence> & { text?: string } = {}): Evidence => ({
  missingRecord: null,
  record: readDmarcRecord(change.text ?? 'v=DMARC1; p=none; rua=mailto:dmarc@send.acme.example'),
  days: 14,
  messages: 1_000,
  aligned: 980,
  unauthorized: [],
  ...change,
})

const stepOf = (change?: Parameters<typeof evidence>[0]) => nextStep(evidence(change)).kind

test('reports come first', () => {
  expect(nextStep(evidence({ missingRecord: 'v=DMARC1; p=none' }))).toMatchObject({
    kind: 'publish_record',
    value: 'v=DMARC1; p=none',
  })
  expect(stepOf({ messages: 0, aligned: 0 })).toBe('wait_for_reports')
  expect(stepOf({ days: 13 })).toBe('collect_more')
})

test('a stricter policy follows when almost all mail passes, one step at a time', () => {
  expect(stepOf()).toBe('quarantine')
  expect(stepOf({ text: 'v=DMARC1; p=quarantine' })).toBe('reject')
  expect(stepOf({ text: 'v=DMARC1; p=reject' })).toBe('done')
  expect(nextStep(evidence({ text: 'v=DMARC1; p=quarantine; pct=20; adkim=s' })).value).toBe(
    'v=DMARC1; p=reject; adkim=s',
  )
})

test('otherwise the sources that fail are named, the largest first, and no record is handed out', () => {
  const unauthorized = ['192.0.2.1', '192.0.2.2', null, '192.0.2.4'].map((address, index) => ({
    address,
    messages: 10 - index,
    origin: 'unauthorized' as const,
  }))
  const step = nextStep(evidence({ aligned: 979, unauthorized }))

  expect(step).toMatchObject({ kind: 'review_sources', value: null })
  expect(step.text).toMatch(/97\.9 %.*192\.0\.2\.1 \(10\), 192\.0\.2\.2 \(9\), others \(8\)\.$/)
})
