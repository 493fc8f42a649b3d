import { expect, test } from 'vitest'
import type { ComplaintReport } from '../../../../mail/report.ts'
import { returnPath } from '../../../../mail/return-path.ts'
import { complainedEmails, maySuppress } from './complaint-evidence.ts'

const ID = '0197c3a0-5b1e-7c44-9d2f-3a6b8c9d0e1f'
const secret = Buffer.alloc(32, 'secret')
const signed = returnPath({ emailId: ID, position: 1, domain: 'send.example.com' }, secret)
const forged = returnPath({ emailId: ID, position: 1, domain: 'send.example.com' }, Buffer.alloc(32, 'guess'))

const find = (original: Partial<NonNullable<ComplaintReport['original']>> | null) =>
  complainedEmails(
    {
      kind: 'complaint',
      feedbackType: 'abuse',
      recipients: [],
      original: original && { messageId: null, returnPaths: [], to: [], ...original },
    },
    { team: 'acme', reporter: null, returnPathSecrets: [secret] },
  )

test('a signed return path leads to its email, whatever stands beside it', () => {
  const original = { returnPaths: ['list@example.net', signed.toUpperCase(), signed], messageId: '<other@example.com>' }

  expect(find(original)).toEqual([{ by: 'return-path', emailId: ID, position: 1 }])
})

test('each recipient that is named by a return path is meant once, in one order', () => {
  const first = returnPath({ emailId: ID, position: 0, domain: 'send.example.com' }, secret)

  expect(find({ returnPaths: [signed, first, signed] })).toEqual([
    { by: 'return-path', emailId: ID, position: 0 },
    { by: 'return-path', emailId: ID, position: 1 },
  ])
})

test('a Message-ID of ours leads to an email of the team that the report came to', () => {
  const messageId = `<${ID}@example.com>`

  expect(find({ messageId, returnPaths: [forged] })).toEqual([
    { by: 'message-id', emailId: ID, messageId, team: 'acme', reporter: null },
  ])
})

test.each([null, {}, { messageId: '<hello@example.com>' }, { returnPaths: [forged, 'bounce+1@example.com'] }])(
  '%j leads nowhere',
  (original) => {
    expect(find(original)).toEqual([])
  },
)

test.each([
  ['abuse@example.net', 'ada@example.net', true],
  ['feedback@arf.mail.yahoo.com', 'ada@yahoo.com', true],
  ['feedback@arf.mail.yahoo.com', 'ada@yahoo.co.uk', true],
  ['staff@hotmail.com', 'ada@outlook.com', true],
  ['staff@hotmail.com', 'ada@hotmail.co.uk', true],
  ['postmaster@example.net', 'ada@mail.example.net', true],
  ['bob@hotmail.com', 'ada@hotmail.com', false],
  ['bob@example.net', 'ada@example.net', false],
  ['abuse@example.org', 'ada@example.net', false],
  ['abuse@badexample.net', 'ada@example.net', false],
  ['staff@hotmail.com', 'ada@hotmail.example.net', false],
  ['feedback@yahoo.com.example.net', 'ada@yahoo.com', false],
  [null, 'ada@example.net', false],
])('with a Message-ID alone, the word of %s about %s is enough: %s', (reporter, recipient, isEnough) => {
  const about = { by: 'message-id', emailId: ID, messageId: `<${ID}@example.com>`, team: 'acme', reporter } as const

  expect(maySuppress(about, recipient)).toBe(isEnough)
})
