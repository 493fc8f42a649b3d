import { describe, expect, test } from 'vitest'
import {
  automate,
  happens,
  mailsOf,
  publishTemplate,
  send,
  startWithTemplate,
  storiesOf,
  trigger,
  waitFor,
} from '../../../../test/harness/automated.ts'

const ADA = 'ada@example.com'
const days = (count: number) => count * 86_400

describe('a wait', () => {
  const branches = [
    ['start', 'wait'],
    ['wait', 'paid', 'event_received'],
    ['wait', 'late', 'timeout'],
  ] as const

  const startWaiting = async (config: object = { timeout: '1 day' }) => {
    const { app, acme, template } = await startWithTemplate()
    const variables = { total: { var: 'wait_events.order.paid.total' } }
    const paid = await publishTemplate(acme, {
      subject: 'Paid {{{total}}}',
      variables: [{ key: 'total', type: 'number', fallback_value: 0 }],
    })
    const steps = [
      trigger(),
      waitFor('order.paid', config),
      { key: 'paid', type: 'send_email', config: { template: { id: paid, variables } } },
      send(template, 'late', { subject: 'Late' }),
    ]
    const connections = 'timeout' in config ? branches : branches.slice(0, 2)
    const used = 'timeout' in config ? steps : steps.slice(0, 3)
    const automation = await automate(acme, used, connections)
    return { app, acme, automation }
  }

  test('ends with the event, whose payload steps can use', async () => {
    const { app, acme, automation } = await startWaiting()
    await happens(acme, 'user.created', ADA)
    await app.runAutomations()
    await happens(acme, 'order.paid', 'bob@example.com', { total: 1 })
    await happens(acme, 'order.paid', ADA.toUpperCase(), { total: 42 })
    await app.runAutomations()

    expect(await mailsOf(acme)).toEqual([`Paid 42 to ${ADA}`])
    expect((await storiesOf(acme, automation))[0]).toMatchObject({
      status: 'completed',
      steps: { wait: 'completed', paid: 'completed', late: 'skipped' },
      outputs: { wait: { event_name: 'order.paid', outcome: 'event_received', payload: { total: 42 } } },
    })
  })

  test('counts an event that came right behind the one that started the run', async () => {
    const { app, acme } = await startWaiting()
    await happens(acme, 'user.created', ADA)
    await happens(acme, 'order.paid', ADA, { total: 7 })

    await app.runAutomations()

    expect(await mailsOf(acme)).toEqual([`Paid 7 to ${ADA}`])
  })

  test('does not count what came before it', async () => {
    const { app, acme } = await startWaiting()
    await happens(acme, 'order.paid', ADA, { total: 7 })
    await happens(acme, 'user.created', ADA)

    await app.runAutomations()

    expect(await mailsOf(acme)).toEqual([])
  })

  test('times out, and an event after that is too late', async () => {
    const { app, acme, automation } = await startWaiting()
    await happens(acme, 'user.created', ADA)
    await app.runAutomations()
    // Nobody was there to notice that the time was over before the event came.
    app.clock.advance(days(1) + 60)
    await happens(acme, 'order.paid', ADA, { total: 7 })
    await app.runAutomations()

    expect(await mailsOf(acme)).toEqual([`Late to ${ADA}`])
    expect((await storiesOf(acme, automation))[0]!.outputs.wait).toEqual({
      event_name: 'order.paid',
      outcome: 'timeout',
    })
  })

  test('ends with an event that came in time, though nobody was there to notice', async () => {
    const { app, acme } = await startWaiting()
    await happens(acme, 'user.created', ADA)
    await app.runAutomations()
    app.clock.advance(days(1) - 60)
    await happens(acme, 'order.paid', ADA, { total: 7 })
    app.clock.advance(days(2))
    await app.runAutomations()

    expect(await mailsOf(acme)).toEqual([`Paid 7 to ${ADA}`])
  })

  test('begins when the event came that started the run, and not when somebody came round to it', async () => {
    const { app, acme, automation } = await startWaiting()
    await happens(acme, 'user.created', ADA)
    app.clock.advance(days(1) + 60)
    await happens(acme, 'order.paid', ADA, { total: 7 })
    app.clock.advance(days(3))
    await app.runAutomations()

    expect(await mailsOf(acme)).toEqual([`Late to ${ADA}`])
    const { body } = await acme.get(`/automations/${automation}/runs`)
    const began = new Date(body.data[0].started_at).getTime()
    expect(new Date(body.data[0].completed_at).getTime() - began).toBe(days(1) * 1_000)
    expect(app.clock.now().getTime() - began).toBeGreaterThan(days(4) * 1_000)
  })

  test('behind a delay begins when that was over: an event after its timeout is too late, one before it is in time', async () => {
    const { app, acme, template } = await startWithTemplate()
    await automate(
      acme,
      [
        trigger(),
        { key: 'pause', type: 'delay', config: { duration: '1 hour' } },
        waitFor('order.paid', { timeout: '1 day' }),
        send(template, 'paid', { subject: 'Paid' }),
        send(template, 'late', { subject: 'Late' }),
      ],
      [['start', 'pause'], ['pause', 'wait'], ...branches.slice(1)],
    )
    await happens(acme, 'user.created', ADA)
    await happens(acme, 'user.created', 'bob@example.com')
    app.clock.advance(days(1))
    await happens(acme, 'order.paid', 'bob@example.com')
    app.clock.advance(3_600)
    await happens(acme, 'order.paid', ADA)
    await app.runAutomations()

    expect((await mailsOf(acme)).sort()).toEqual([`Late to ${ADA}`, 'Paid to bob@example.com'])
  })

  test('without a way on after its timeout fails the run', async () => {
    const { app, acme } = await startWithTemplate()
    const automation = await automate(acme, [trigger(), waitFor('order.paid', { timeout: '1 hour' })])
    await happens(acme, 'user.created', ADA)
    await app.runAutomations()
    app.clock.advance(3_600)
    await app.runAutomations()

    expect((await storiesOf(acme, automation))[0]).toMatchObject({ status: 'failed', steps: { wait: 'failed' } })
  })

  test('without a timeout waits for ever, and passes over what its filter does not let through', async () => {
    const filter_rule = { type: 'rule', field: 'event.total', operator: 'gt', value: 10 }
    const { app, acme } = await startWaiting({ filter_rule })
    await happens(acme, 'user.created', ADA)
    for (const payload of [{ total: 3 }, { total: 'much' }, {}]) await happens(acme, 'order.paid', ADA, payload)
    await app.runAutomations()
    app.clock.advance(days(1_000))
    await happens(acme, 'order.paid', ADA, { total: 11 })
    await app.runAutomations()

    expect(await mailsOf(acme)).toEqual([`Paid 11 to ${ADA}`])
  })
})
