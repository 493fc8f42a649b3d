import { expect, test } from 'vitest'
import type { DeliveryPause } from '../../emails/delivery/pace/pause-store.ts'
import { rateText } from './ceilings.ts'
import { byTrouble, flowOf } from './flow.ts'

const UNTIL = new Date('2026-11-18T12:00:00Z')
const LATER = new Date('2026-11-18T13:00:00Z')
const PACE = {
  ...{ rate: 1, limit: 2, confirmations: 0, connections: 1, complaints: 1 },
  ...{ cutAt: 0, restUntil: 0, roundAt: 0, taken: 0, deferred: 0 },
}

const pause = (kind: DeliveryPause['kind'], identity: string): DeliveryPause => ({
  ...{ destination: 'gmail', kind, identity, pausedUntil: UNTIL, refusals: 1 },
  ...{ host: null, reply: '', class: null, refusedAt: UNTIL },
})

const OURS = [{ source: 'default', netblock: 'default' }]
const TWO = ['192.0.2.1', '192.0.2.2'].map((source) => ({ source, netblock: '192.0.2.0/24' }))
const CALM = { stop: null, pauses: [], paces: [], sources: OURS, deferred: 0, lastReply: null }
const silent = { at: '', reply: '', class: 'no_answer_from_host' as const }
const slowed = (kind: 'source' | 'dkim_domain', identity: string) => ({ kind, identity, state: PACE })
const source = slowed('source', 'default')
const signed = slowed('dkim_domain', 'example.com')

test.each([
  ['nothing in the way', CALM, { state: 'flowing', reason: null, until: null }],
  ['nobody answers', { ...CALM, deferred: 1, lastReply: silent }, { state: 'away', reason: 'No mail server answers.' }],
  ['what was said before it went', { ...CALM, lastReply: silent }, { state: 'flowing' }],
  [
    'it is left alone, since nobody answers',
    { ...CALM, stop: { cause: 'unreachable' as const, stoppedUntil: UNTIL }, pauses: [pause('source', 'default')] },
    { state: 'away', reason: 'It cannot be reached.', until: UNTIL },
  ],
  [
    'it is left alone, since our address is refused',
    { ...CALM, stop: { cause: 'paused' as const, stoppedUntil: UNTIL }, paces: [source] },
    { state: 'paused', reason: 'It refuses our address.', until: UNTIL },
  ],
  [
    'our address is refused',
    { ...CALM, pauses: [pause('dkim_domain', 'example.com'), pause('source', 'default')], paces: [source] },
    { state: 'paused', reason: 'It refuses our IP address.', until: UNTIL },
  ],
  [
    'one domain is refused',
    { ...CALM, pauses: [pause('dkim_domain', 'example.com')] },
    { state: 'slowed', reason: 'It refuses the DKIM domain example.com.', until: UNTIL },
  ],
  [
    'less is asked for',
    { ...CALM, paces: [signed, source] },
    { state: 'slowed', reason: 'It has asked for less mail.' },
  ],
  [
    'less is asked for of one domain',
    { ...CALM, paces: [signed] },
    { state: 'slowed', reason: 'It has asked for less mail from the DKIM domain example.com.' },
  ],
  [
    'one of two addresses is refused',
    { ...CALM, sources: TWO, pauses: [pause('source', '192.0.2.1')] },
    { state: 'slowed', reason: 'It refuses our IP address 192.0.2.1.', until: UNTIL },
  ],
  [
    'both addresses are refused',
    {
      ...{ ...CALM, sources: TWO },
      pauses: [{ ...pause('source', '192.0.2.1'), pausedUntil: LATER }, pause('source', '192.0.2.2')],
    },
    { state: 'paused', reason: 'It refuses all our IP addresses.', until: UNTIL },
  ],
  [
    'the network of both is refused',
    { ...CALM, sources: TWO, pauses: [pause('netblock', '192.0.2.0/24')] },
    { state: 'paused', reason: 'It refuses our network 192.0.2.0/24.', until: UNTIL },
  ],
  [
    'less is asked for from one of two addresses',
    { ...CALM, sources: TWO, paces: [slowed('source', '192.0.2.2')] },
    { state: 'slowed', reason: 'It has asked for less mail from our IP address 192.0.2.2.' },
  ],
  [
    'less is asked for from both',
    { ...CALM, sources: TWO, paces: TWO.map(({ source }) => slowed('source', source)) },
    { state: 'slowed', reason: 'It has asked for less mail.' },
  ],
])('%s', (_name, circumstances, flow) => {
  expect(flowOf(circumstances)).toMatchObject(flow)
})

test('trouble is on top, then where most waits', () => {
  const group = (name: string, state: 'away' | 'paused' | 'flowing', deferred = 0, waiting = 0) => ({
    ...{ name, state, deferred, waiting },
  })
  const groups = [
    group('idle', 'flowing'),
    group('busy', 'flowing', 0, 9),
    group('stuck', 'flowing', 3),
    group('paused', 'paused'),
    group('away', 'away'),
  ]

  expect(groups.sort(byTrouble).map(({ name }) => name)).toEqual(['away', 'paused', 'stuck', 'busy', 'idle'])
})

test.each([
  [10, '10/s'],
  [2000 / 3600, '2000/h'],
  [0.5, '30/m'],
  [1 / 86_400, '1/d'],
  [Math.PI, '3.142/s'],
])('%d a second is %s', (perSecond, text) => {
  expect(rateText(perSecond)).toBe(text)
})
