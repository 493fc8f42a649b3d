import { expect, test } from 'vitest'
import { changedDmarcRecord, readDmarcRecord } from './dmarc-record.ts'

test('a record is read with its policy and where reports go', () => {
  expect(
    readDmarcRecord('v=DMARC1; p=Quarantine;sp=reject; rua=mailto:A@x.example!10m, mailto:b@y.example'),
  ).toMatchObject({
    policy: 'quarantine',
    subdomainPolicy: 'reject',
    reportTo: ['a@x.example', 'b@y.example'],
  })
  expect(readDmarcRecord('v=DMARC1; p=none')).toMatchObject({ policy: 'none', subdomainPolicy: 'none', reportTo: [] })
  expect(readDmarcRecord('v=DMARC1; p=nothing; rua=mailto:a@x.example')).toMatchObject({ policy: 'none' })
})

test.each(['', 'v=spf1 -all', 'p=none; v=DMARC1', 'v=dmarc1; p=none', 'v=DMARC1', 'v=DMARC1; p=maybe', ';;;='])(
  '%j is no record',
  (text) => {
    expect(readDmarcRecord(text)).toBeNull()
  },
)

test('a change leaves everything else as it is', () => {
  const record = readDmarcRecord('v=DMARC1; p=none; adkim=s; pct=50; rua=mailto:a@x.example; ruf=mailto:f@x.example')!

  expect(changedDmarcRecord(record, { policy: 'quarantine', reportToo: 'dmarc@send.x.example' })).toBe(
    'v=DMARC1; p=quarantine; adkim=s; rua=mailto:a@x.example,mailto:dmarc@send.x.example; ruf=mailto:f@x.example',
  )
  expect(changedDmarcRecord(record, { reportToo: 'A@x.example' })).toBe(
    'v=DMARC1; p=none; adkim=s; pct=50; rua=mailto:a@x.example; ruf=mailto:f@x.example',
  )
})
