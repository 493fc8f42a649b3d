import { expect, test } from 'vitest'
import { type FailureScope, failureScopeOf, siteReachOf } from './failure-scope.ts'
import type { Outcome } from './outcome.ts'
import { judgeReply } from './replies/judge-reply.ts'
import { parseReply } from './replies/parse-reply.ts'
import type { ReplyPhase } from './reply-class.ts'

const deferred = (more: object): Outcome => ({ kind: 'deferred', reply: '451 4.4.1 x', isThrottled: false, ...more })

test.each<[string, Outcome, FailureScope | null, FailureScope | null]>([
  ['taken', { kind: 'delivered', reply: '250 Ok' }, null, null],
  ['no connection', deferred({ unreachable: 'connection' }), 'route', 'recipient'],
  ['login refused', deferred({ unreachable: 'login' }), 'route', 'recipient'],
  ['cannot be trusted', deferred({ unreachable: 'tls', rule: 'client/tls' }), 'route', 'recipient'],
  ['TLS that the mail demands', deferred({ rule: 'client/tls', about: 'site', means: 'trouble' }), 'mail', 'recipient'],
  ['answer lost', deferred({ isUncertain: true, about: 'site' }), 'unknown', 'unknown'],
])('%s', (_, outcome, relay, direct) => {
  expect(failureScopeOf(outcome, { hasOneServer: true })).toBe(relay)
  expect(failureScopeOf(outcome, { hasOneServer: false })).toBe(direct)
})

test.each<[string, ReplyPhase, FailureScope, FailureScope]>([
  ['550 5.1.1 User unknown', 'rcpt', 'recipient', 'recipient'],
  ['452 4.2.2 Mailbox full', 'rcpt', 'recipient', 'recipient'],
  ['450 4.2.0 Greylisted, try again later', 'rcpt', 'recipient', 'recipient'],
  ['550 5.7.1 Message contains a virus', 'message', 'recipient', 'recipient'],
  ['554 5.7.1 Relay access denied', 'rcpt', 'mail', 'recipient'],
  ['421 4.7.0 Try again later, too many messages from your IP', 'mail', 'mail', 'mail'],
  ['550 5.7.1 Service unavailable; client host [192.0.2.1] blocked using Spamhaus', 'rcpt', 'mail', 'mail'],
  ['451 4.3.0 Temporary server error', 'data', 'mail', 'recipient'],
  ['452 4.3.1 Insufficient system storage', 'mail', 'mail', 'recipient'],
])('%s', (text, phase, relay, direct) => {
  const outcome = judgeReply(parseReply(text)!, { phase })
  expect(failureScopeOf(outcome, { hasOneServer: true })).toBe(relay)
  expect(failureScopeOf(outcome, { hasOneServer: false })).toBe(direct)
})

const HOST = { host: 'mx.example.com' }

test.each<[string, Outcome, ReturnType<typeof siteReachOf>]>([
  ['taken', { kind: 'delivered', reply: '250 Ok' }, 'reached'],
  ['a reply of the server', deferred({ ...HOST, rule: 'words/busy' }), 'reached'],
  ['no connection', deferred({ ...HOST, unreachable: 'connection', rule: 'client/connect' }), 'unreached'],
  ['name servers that do not answer', deferred({ rule: 'dns/lookup' }), 'unreached'],
  ['a connection that was lost', deferred({ ...HOST, rule: 'client/lost' }), null],
  ['no greeting', deferred({ ...HOST, unreachable: 'connection', rule: 'client/greeting' }), null],
  [
    'no such domain',
    { kind: 'bounced', reply: '550 5.1.2 x', bounce: { type: 'Permanent', subType: 'General' } },
    null,
  ],
])('a site and its network: %s', (_, outcome, reach) => {
  expect(siteReachOf(outcome)).toBe(reach)
})
