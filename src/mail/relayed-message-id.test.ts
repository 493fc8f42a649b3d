import { expect, test } from 'vitest'
import { isRelayedMessageId, relayedMessageId } from './relayed-message-id.ts'

const ID = '0102018f0c1d2e3f-6b1b7d9a-1c2d-4e3f-8a9b-0c1d2e3f4a5b-000000'

test.each([
  ['email-smtp.us-east-1.amazonaws.com', `250 Ok ${ID}`, `<${ID}@email.amazonses.com>`],
  ['email-smtp.eu-west-1.amazonaws.com', `250 Ok ${ID}`, `<${ID}@eu-west-1.amazonses.com>`],
  ['email-smtp-fips.us-gov-west-1.amazonaws.com', `250 Ok ${ID}`, `<${ID}@us-gov-west-1.amazonses.com>`],
  ['email-smtp.eu-west-1.amazonaws.com', '250 Ok', null],
  ['email-smtp.eu-west-1.amazonaws.com', `250 Ok ${ID} <script>`, null],
  ['email-smtp.eu-west-1.amazonaws.com.example.org', `250 Ok ${ID}`, null],
  ['mail.example.org', `250 Ok ${ID}`, null],
  ['mail.example.org', '250 2.0.0 Ok: queued as 4F1A2B3C', null],
])('%s: %s', (host, reply, messageId) => {
  expect(relayedMessageId(host, reply)).toBe(messageId)
  if (messageId !== null) expect(isRelayedMessageId(messageId)).toBe(true)
})

test.each(['<a@b.example>', `<${ID}@amazonses.com.example>`, ''])('%j is nobody’s who rewrites', (messageId) => {
  expect(isRelayedMessageId(messageId)).toBe(false)
})
