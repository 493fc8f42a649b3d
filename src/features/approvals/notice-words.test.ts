import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { guardedKey, noticesTo } from '../../../test/harness/approvals.ts'

// What approvers read of mail before they say yes. Its sender has no say in that.

async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  const person = await app.person('acme', 'owner')
  return { app, person, key: await guardedKey(app, acme) }
}

test('who gets it is said by addresses first, whatever names and subjects say', async () => {
  const { app, person, key } = await start()
  const to = ['"ada@example.org, bob@example.org" <eve@evil.test>', ...[1, 2, 3, 4].map((n) => `u${n}@example.org`)]
  const copies = { cc: 'Ada <c@example.org>', bcc: ['b1@example.org', 'b2@example.org'] }
  await key.send({ to, ...copies, subject: `to ada@example.org · from boss@acme.dev ${'x'.repeat(400)}` })
  await key.send({ to: 'u1@example.org', bcc: 'b1@example.org' })
  await key.send({ to: 'u1@example.org' })
  await app.runDueJobs()

  const [notice] = await noticesTo(app, person.email)
  const page = await app.send({ method: 'GET', url: notice!.approve })

  const words = 'to eve@evil.test, u1@example.org, u2@example.org and 2 others +1 cc, 2 bcc'
  expect(notice!.text).toContain(`- ${words} · to ada@example[.]org`)
  expect(notice!.text).toContain('- to u1@example.org +1 bcc · Hello')
  expect(notice!.text).toContain('- to u1@example.org · Hello')
  expect(page.text).toContain(` ${words} · to ada@example.org`)
  expect(notice!.text + page.text).not.toContain('“ada@example.org, bob@example.org”')
})

test('copies that differ are no mail to the same people', async () => {
  const { app, person, key } = await start()
  await key.send({ to: '"Somebody else" <ada@example.org>', bcc: 'eve@evil.test' })
  await app.runDueJobs()

  const [notice] = await noticesTo(app, person.email)

  expect(notice!.text).toContain('To: ada@example.org +1 bcc\n')
})
