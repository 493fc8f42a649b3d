import { expect, test } from 'vitest'
import { bounceTypeOf } from './diagnostic.ts'

test.each([
  ['5.1.1', null, 'Permanent NoEmail'],
  ['5.1.1', 'smtp; 550 5.1.1 no such user', 'Permanent NoEmail'],
  ['5.2.2', 'smtp; 552 5.2.2 over quota', 'Transient MailboxFull'],
  ['5.2.1', null, 'Permanent General'],
  [null, 'smtp; 550 user unknown', 'Permanent NoEmail'],
  [null, 'The mailbox is full', 'Transient MailboxFull'],
  [null, 'user unknown', 'Permanent NoEmail'],
  [null, null, 'Undetermined Undetermined'],
  ['', '', 'Undetermined Undetermined'],
])('status %j with %j is %s', (status, diagnostic, bounce) => {
  const { type, subType } = bounceTypeOf(status, diagnostic)

  expect(`${type} ${subType}`).toBe(bounce)
})

test.each([
  ['5.0.0', 'smtp; 550 5.1.1 no such user', 'Permanent NoEmail'],
  ['5.0.0', 'host mx.example.net[192.0.2.1] said: 550 5.7.1 blocked by policy', 'Transient ContentRejected'],
  ['5.1.1', 'smtp; 550 5.7.1 blocked by policy', 'Transient ContentRejected'],
  ['5.1.1', 'smtp; 550 5.0.0 refused', 'Permanent NoEmail'],
  ['5.1.1', 'x-unix; exit status 67', 'Permanent NoEmail'],
  [null, "Remote Server returned '#550 5.1.10 not found'", 'Permanent General'],
])('status %j gives way to what the other server said in %j: %s', (status, diagnostic, bounce) => {
  const { type, subType } = bounceTypeOf(status, diagnostic)

  expect(`${type} ${subType}`).toBe(bounce)
})

test.each([
  ['4.4.1', 'X-Postfix; connection timed out', 'Transient General'],
  ['4.1.1', 'smtp; 450 4.1.1 user unknown', 'Transient General'],
  ['4.2.2', null, 'Transient MailboxFull'],
  [null, 'smtp; 451 try later', 'Transient General'],
])('given up with status %j and %j: nobody said that the address is bad', (status, diagnostic, bounce) => {
  const { type, subType } = bounceTypeOf(status, diagnostic)

  expect(`${type} ${subType}`).toBe(bounce)
})

test.each(['550 '.repeat(1_000_000), '5.1.'.repeat(1_000_000), ' '.repeat(4_000_000), 'user '.repeat(1_000_000)])(
  'a diagnostic without end has one',
  (diagnostic) => {
    expect(bounceTypeOf(null, diagnostic).type).toBeDefined()
  },
)
