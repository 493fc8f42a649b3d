import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { addVerifiedDomain } from '../../../test/harness/emails.ts'
import { Senders } from './senders.ts'

async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  const senders = new Senders(app.db)
  onTestFinished(senders.follow())
  return { app, acme, senders }
}

test('a domain that was asked for is known without asking again', async () => {
  const { app, acme, senders } = await start()
  const id = await addVerifiedDomain(app, acme, 'senders-known.dev')
  const first = await senders.find(acme.team, 'senders-known.dev')

  const second = senders.find(acme.team, 'senders-known.dev')

  expect(first).toMatchObject({ id, canSend: true })
  expect(second).toBe(first)
})

test('whoever changes, deletes or adds a domain is heard at once', async () => {
  const { app, acme, senders } = await start()
  const id = await addVerifiedDomain(app, acme, 'senders-changed.dev')
  const find = async () => {
    const sender = await senders.find(acme.team, 'senders-changed.dev')
    return sender?.tls
  }

  const states = [await find()]
  await acme.patch(`/domains/${id}`, { tls: 'enforced' })
  states.push(await find())
  await acme.delete(`/domains/${id}`)
  states.push(await find())
  await acme.post('/domains', { name: 'senders-changed.dev', dkim: 'ed25519' })
  states.push(await find())

  expect(states).toEqual(['opportunistic', 'enforced', undefined, 'opportunistic'])
})

test('what is read while a domain changes is not remembered', async () => {
  const { app, acme, senders } = await start()
  const id = await addVerifiedDomain(app, acme, 'senders-racing.dev')

  const reading = senders.find(acme.team, 'senders-racing.dev')
  await acme.delete(`/domains/${id}`)
  await reading

  expect(await senders.find(acme.team, 'senders-racing.dev')).toBeUndefined()
})

test('a domain that is not there is asked for again: somebody may have just added it', async () => {
  const { acme, senders } = await start()
  const first = await senders.find(acme.team, 'senders-unknown.dev')

  const second = senders.find(acme.team, 'senders-unknown.dev')

  expect(first).toBeUndefined()
  expect(second).toBeInstanceOf(Promise)
  await second
})
