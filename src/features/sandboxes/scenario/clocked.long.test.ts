import { expect, test } from 'vitest'
import { readEmail } from '../../../../test/harness/emails.ts'
import { startReceiver } from '../../../../test/harness/receiver.ts'
import { startStage } from '../../../../test/harness/staged.ts'
import { addWebhook } from '../../../../test/harness/webhooks.ts'

test('in one jump of the clock the other side does everything at its time', async () => {
  const { app, sandbox } = await startStage()
  await app.startWorkers()
  const box = await sandbox()
  await box.setScenario({
    rules: [
      {
        match: { to: 'ada@*' },
        outcome: { greylisted: 1, opened: { after: '1 day' }, replied: { after: '2 days', text: 'Hi' } },
      },
      { match: { to: 'bob@*' }, outcome: { delayed: '2 hours', bounced: { after: '1 hour' } } },
      { match: { to: 'eve@*' }, outcome: { complained: { after: '5 days' } } },
    ],
  })
  const receiver = await startReceiver()
  await addWebhook(box, receiver.url, ['email.bounced', 'email.opened', 'email.received'])
  await box.patch('/clock', { is_frozen: true })
  const id = await box.mail({ to: ['ada@example.com', 'bob@example.com', 'eve@example.com'] })

  const { body } = await box.patch('/clock', { advance: '4 days' })

  expect(body).toMatchObject({ is_complete: true })
  const email = await readEmail(box, id)
  const began = Date.parse(email.created_at.replace(' ', 'T').replace('+00', 'Z'))
  const told = email.events.map(
    ({ type, created_at, data }: { type: string; created_at: string; data: { to: string[] } }) => {
      const minutes = Math.floor((Date.parse(created_at.replace(' ', 'T').replace('+00', 'Z')) - began) / 60_000)
      return `${minutes} ${type.slice('email.'.length)} ${data.to.map((to) => to.split('@')[0])}`
    },
  )
  expect(told).toEqual([
    '0 sent ada,bob,eve',
    '0 delivery_delayed ada,bob',
    '0 delivered eve',
    '1 delivered ada',
    '120 delivered bob',
    '180 bounced bob',
    '1441 opened ada',
  ])
  const [answer] = (await box.get('/emails/receiving')).body.data
  expect(Math.floor((Date.parse(answer.created_at.replace(' ', 'T').replace('+00', 'Z')) - began) / 60_000)).toBe(2_881)
  expect(email.events.find(({ type }: { type: string }) => type === 'email.opened').data.verdict.kind).toBe('person')
  expect(receiver.received.map(({ event }) => event.type)).toEqual(['email.bounced', 'email.opened', 'email.received'])
})
