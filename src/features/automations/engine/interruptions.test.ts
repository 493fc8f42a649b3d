import { describe, expect, test } from 'vitest'
import {
  automate,
  delay,
  happens,
  mailsOf,
  send,
  startWithTemplate,
  storiesOf,
  trigger,
} from '../../../../test/harness/automated.ts'

const ADA = 'ada@example.com'
const days = (count: number) => count * 86_400

describe('in the middle of a run', () => {
  const startDelayed = async () => {
    const { app, acme, template } = await startWithTemplate()
    const automation = await automate(acme, [trigger(), delay('1 day'), send(template), delay('1 day', 'later')])
    await happens(acme, 'user.created', ADA)
    await app.runAutomations()
    const goOn = async () => {
      app.clock.advance(days(1))
      await app.runAutomations()
    }
    return { app, acme, template, automation, goOn }
  }

  test('the contact unsubscribes: emails are skipped, and the run goes on', async () => {
    const { acme, automation, goOn } = await startDelayed()
    await acme.patch(`/contacts/${ADA}`, { unsubscribed: true })
    await goOn()

    expect(await mailsOf(acme)).toEqual([])
    expect((await storiesOf(acme, automation))[0]).toMatchObject({
      status: 'running',
      steps: { mail: 'skipped', later: 'waiting' },
    })
  })

  test('the contact is deleted: the step that needs it fails', async () => {
    const { acme, automation, goOn } = await startDelayed()
    await acme.delete(`/contacts/${ADA}`)
    await goOn()

    expect((await storiesOf(acme, automation))[0]).toMatchObject({
      status: 'failed',
      outputs: { mail: { message: 'The contact was deleted.' } },
    })
  })

  test('the template is deleted: the step fails, and says why', async () => {
    const { acme, automation, template, goOn } = await startDelayed()
    await acme.delete(`/templates/${template}`)
    await goOn()

    expect((await storiesOf(acme, automation))[0]).toMatchObject({
      status: 'failed',
      outputs: { mail: { name: 'not_found', message: 'Template not found' } },
    })
  })

  test('the automation is disabled and edited: the run finishes as it began', async () => {
    const { acme, automation, goOn } = await startDelayed()
    await acme.patch(`/automations/${automation}`, { status: 'disabled' })
    const steps = [trigger(), delay('1 hour')].map((step) => ({ ...step }))
    const connections = [{ from: 'start', to: 'pause' }]
    expect((await acme.patch(`/automations/${automation}`, { steps, connections })).status).toBe(200)
    await goOn()
    await goOn()

    expect(await mailsOf(acme)).toEqual([`Hello to ${ADA}`])
    expect((await storiesOf(acme, automation))[0]!.status).toBe('completed')
  })

  test.each(['stop', 'delete', 'cancel'] as const)('somebody says %s: nothing more is done', async (word) => {
    const { acme, automation, goOn } = await startDelayed()
    const [run] = await storiesOf(acme, automation)
    if (word === 'stop') await acme.post(`/automations/${automation}/stop`)
    if (word === 'delete') await acme.delete(`/automations/${automation}`)
    if (word === 'cancel') await acme.post(`/automations/${automation}/runs/${run!.id}/cancel`)
    await goOn()

    expect(await mailsOf(acme)).toEqual([])
    if (word !== 'delete') expect((await storiesOf(acme, automation))[0]!.status).toBe('cancelled')
  })
})
