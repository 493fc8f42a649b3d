import { expect, test } from 'vitest'
import { forwardSubject, replySubject } from '../../../mail/answer.ts'
import { addedTo, repliesTo } from './answering.ts'
import type { Original } from './original.ts'

const INBOX = { email_address: 'desk@acme.dev', receiving_address: 'inbox-1@mx.acme.dev' }

const original = (given: Partial<Original> = {}): Original => ({
  ...{ id: '1', thread: '2', direction: 'inbound', from: 'Ada <ada@example.net>', to: ['desk@acme.dev'], cc: [] },
  ...{ replyTo: [], subject: null, messageId: null, references: [], sentAt: new Date(0), html: null, text: null },
  ...given,
})

test('a reply goes to the sender, or where they wish answers', () => {
  expect(repliesTo(INBOX, original(), false)).toEqual({ to: ['Ada <ada@example.net>'], cc: [] })
  expect(repliesTo(INBOX, original({ replyTo: ['a@b.dev', 'c@d.dev'] }), false).to).toEqual(['a@b.dev', 'c@d.dev'])
  expect(repliesTo(INBOX, original({ replyTo: ['nonsense'] }), false).to).toEqual(['Ada <ada@example.net>'])
})

test('a reply to all leaves out all addresses of the inbox, however they are spelled', () => {
  const email = original({
    to: ['DESK@ACME.dev', 'desk+orders@acme.dev', 'bob@example.net'],
    cc: ['"Us" <inbox-1@mx.acme.dev>', 'Bob@Example.net', 'eve@example.net', 'undisclosed'],
  })

  expect(repliesTo(INBOX, email, true)).toEqual({
    to: ['Ada <ada@example.net>', 'bob@example.net'],
    cc: ['eve@example.net'],
  })
})

test('an own email is answered to whom it went', () => {
  const own = original({
    direction: 'outbound',
    from: 'desk@acme.dev',
    to: ['a@b.dev', 'desk@acme.dev'],
    cc: ['c@d.dev'],
  })

  expect(repliesTo(INBOX, own, false)).toEqual({ to: ['a@b.dev'], cc: [] })
  expect(repliesTo(INBOX, own, true)).toEqual({ to: ['a@b.dev'], cc: ['c@d.dev'] })
})

test('who writes to oneself is answered, and nobody is nobody', () => {
  expect(repliesTo(INBOX, original({ from: 'desk@acme.dev' }), true).to).toEqual(['desk@acme.dev'])
  expect(repliesTo(INBOX, original({ from: 'MAILER-DAEMON' }), true).to).toEqual([])
  expect(addedTo(['a@b.dev'], ['A <A@b.dev>', 'c@d.dev', 'c@d.dev'])).toEqual(['a@b.dev', 'c@d.dev'])
})

test.each([
  ['Hello', 'Re: Hello', 'Fwd: Hello'],
  ['re: Hello', 're: Hello', 'Fwd: re: Hello'],
  ['Re[2]: Hello', 'Re[2]: Hello', 'Fwd: Re[2]: Hello'],
  ['FW: Hello', 'Re: FW: Hello', 'FW: Hello'],
  ['Regards', 'Re: Regards', 'Fwd: Regards'],
  [null, 'Re:', 'Fwd:'],
  ['a\r\nBcc: b', 'Re: a Bcc: b', 'Fwd: a Bcc: b'],
])('the subject %j has its prefix once', (subject, reply, forward) => {
  expect([replySubject(subject), forwardSubject(subject)]).toEqual([reply, forward])
})

test('a subject without end can still be sent', () => {
  expect(replySubject('x'.repeat(5_000))).toHaveLength(2_000)
})
