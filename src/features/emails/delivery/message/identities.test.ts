import { expect, test } from 'vitest'
import { fixedClock } from '../../../../../test/harness/clock.ts'
import { makeGate } from '../../../../../test/harness/gate.ts'
import { newId } from '../../../../../test/harness/ids.ts'
import { LinkSigner } from '../../../../platform/links.ts'
import { identities, type SendingDomain, type SendingDomains } from './identities.ts'

const DOMAIN: SendingDomain = {
  canSend: true,
  tls: 'opportunistic',
  returnPathHost: 'send.acme.dev',
  tracking: { opens: false, clicks: false, host: null },
}

const SENT = { team: newId(), domainId: newId(), from: 'hello@acme.dev' }

/** Domains that answer as the test says, and count how often they are asked. */
function start(find: SendingDomains['find']) {
  let asked = 0
  const clock = fixedClock()
  const identityOf = identities({
    clock,
    links: new LinkSigner([Buffer.alloc(32)]),
    publicUrl: () => 'https://mail.acme.dev',
    systemTeam: async () => newId(),
    domains: {
      find: (team, domainId) => {
        asked++
        return find(team, domainId)
      },
      findByName: async () => undefined,
      loadSigners: async () => [],
    },
  })
  return { identityOf, clock, asked: () => asked }
}

test('emails that leave at the same time load the identity of their domain once', async () => {
  const gate = makeGate()
  const { identityOf, clock, asked } = start(async () => {
    await gate.opened
    return DOMAIN
  })

  const found = Promise.all([identityOf(SENT), identityOf(SENT), identityOf(SENT)])
  await new Promise(setImmediate)
  gate.open()
  const [first, ...others] = await found
  const again = await identityOf(SENT)
  clock.advance(60)
  await identityOf(SENT)

  expect(first?.returnPathDomain).toBe('send.acme.dev')
  expect([...others, again].every((identity) => identity === first)).toBe(true)
  expect(asked()).toBe(2)
})

test('a domain that may not send is remembered, and a load that failed is not', async () => {
  const answers = [() => Promise.reject(new Error('away')), async () => ({ ...DOMAIN, canSend: false })]
  const { identityOf, asked } = start(() => answers.shift()!())

  await expect(Promise.all([identityOf(SENT), identityOf(SENT)])).rejects.toThrow('away')
  expect(await identityOf(SENT)).toBe(null)
  expect(await identityOf(SENT)).toBe(null)
  expect(asked()).toBe(2)
})
