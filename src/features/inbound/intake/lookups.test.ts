import { expect, test } from 'vitest'
import type { Answer, RecordType, Resolver } from '../../../adapters/dns/resolver.ts'
import { Lookups } from './lookups.ts'

/** A resolver whose answers come when the test says so. */
function start() {
  const time = { ms: 0 }
  const asked: { question: string; answer: (answer: Answer<RecordType>) => void }[] = []
  const resolver = {
    lookup: (name: string, type: RecordType) =>
      new Promise<Answer<RecordType>>((answer) => void asked.push({ question: `${type} ${name}`, answer })),
  } as Resolver
  return { time, asked, lookups: new Lookups(resolver, () => time.ms) }
}

const FAILED = { kind: 'failed', reason: 'no name server answered in time' } as const
const FOUND = { kind: 'found', records: ['v=spf1 -all'] } as const
const NOT_ASKED = { kind: 'failed', reason: 'nobody is asked about this domain at the moment' }

async function failSlowly({ time, asked, lookups }: ReturnType<typeof start>, name: string) {
  const answer = lookups.lookup(name, 'TXT')
  time.ms += 2_000
  asked.at(-1)!.answer(FAILED)
  await answer
}

test('a domain that was waited for in vain is left alone for half a minute, and no other is', async () => {
  const started = start()
  const { time, asked, lookups } = started
  await failSlowly(started, 'slow._domainkey.evil.example')

  expect(await lookups.lookup('evil.example', 'TXT')).toEqual(NOT_ASKED)
  expect(await lookups.lookup('_dmarc.EVIL.example', 'TXT')).toEqual(NOT_ASKED)
  expect(asked).toHaveLength(1)

  const other = lookups.lookup('honest.example', 'TXT')
  asked.at(-1)!.answer(FOUND)
  expect(await other).toEqual(FOUND)

  time.ms += 30_001
  const again = lookups.lookup('evil.example', 'TXT')
  asked.at(-1)!.answer(FOUND)
  expect(await again).toEqual(FOUND)
})

test('a failure that comes at once is no reason to wait', async () => {
  const { asked, lookups } = start()
  const failed = lookups.lookup('broken.example', 'TXT')
  asked[0]!.answer(FAILED)
  await failed

  void lookups.lookup('broken.example', 'MX')

  expect(asked).toHaveLength(2)
})

test('a question is asked once for all who wait for its answer', async () => {
  const { asked, lookups } = start()

  const answers = [lookups.lookup('example.com', 'TXT'), lookups.lookup('Example.com', 'TXT')]
  asked[0]!.answer(FOUND)

  expect(await Promise.all(answers)).toEqual([FOUND, FOUND])
  expect(asked).toHaveLength(1)
})

test('eight questions about a domain are asked at once, and those about others go on', async () => {
  const { asked, lookups } = start()
  for (let key = 0; key < 8; key++) void lookups.lookup(`k${key}._domainkey.evil.example`, 'TXT')

  expect(await lookups.lookup('k9._domainkey.evil.example', 'TXT')).toEqual(NOT_ASKED)
  void lookups.lookup('honest.example', 'TXT')
  expect(asked.map(({ question }) => question)).toContain('TXT honest.example')

  asked[0]!.answer(FOUND)
  await Promise.resolve()
  await Promise.resolve()
  void lookups.lookup('k9._domainkey.evil.example', 'TXT')
  expect(asked.at(-1)!.question).toBe('TXT k9._domainkey.evil.example')
})

test('a bounded number of questions is in flight', async () => {
  const { asked, lookups } = start()

  for (let n = 0; n < 6_000; n++) void lookups.lookup(`d${n}.example`, 'TXT')

  expect(asked).toHaveLength(5_000)
})
