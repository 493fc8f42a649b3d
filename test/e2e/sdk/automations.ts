import type { CreateAutomationOptions } from 'resend'
import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

/** Every kind of step. */
const series = (template: string, segmentId: string): CreateAutomationOptions => ({
  name: 'Welcome',
  steps: [
    { key: 'start', type: 'trigger', config: { eventName: 'user.created' } },
    {
      key: 'hello',
      type: 'send_email',
      config: {
        template: { id: template, variables: { NAME: { var: 'contact.first_name' } } },
        subject: 'Hello',
        from: 'Acme <hello@acme.example>',
        replyTo: 'help@acme.example',
      },
    },
    {
      key: 'opened',
      type: 'wait_for_event',
      config: {
        eventName: 'resend:email.opened',
        timeout: '12 days',
        filterRule: { type: 'rule', field: 'event.ok', operator: 'eq', value: true },
      },
    },
    {
      key: 'is pro',
      type: 'condition',
      config: {
        type: 'and',
        rules: [
          { type: 'rule', field: 'event.plan', operator: 'exists' },
          { type: 'rule', field: 'event.plan', operator: 'eq', value: 'pro' },
        ],
      },
    },
    { key: 'pause', type: 'delay', config: { duration: '90 minutes' } },
    { key: 'name', type: 'contact_update', config: { firstName: { var: 'event.name' }, unsubscribed: false } },
    { key: 'join', type: 'add_to_segment', config: { segmentId } },
    { key: 'away', type: 'contact_delete', config: {} },
  ],
  connections: [
    { from: 'start', to: 'hello' },
    { from: 'hello', to: 'opened', type: 'default' },
    { from: 'opened', to: 'is pro', type: 'event_received' },
    { from: 'opened', to: 'away', type: 'timeout' },
    { from: 'is pro', to: 'pause', type: 'condition_met' },
    { from: 'is pro', to: 'join', type: 'condition_not_met' },
    { from: 'pause', to: 'name' },
    { from: 'name', to: 'join' },
  ],
})

export function automationTests(context: SdkContext) {
  async function makeSeries() {
    const { templates, segments } = context.resend
    const { id } = await dataOf(
      Promise.resolve(
        templates.create({
          name: 'Hello',
          html: '<p>Hello {{{NAME|you}}}</p>',
          variables: [{ key: 'NAME', type: 'string', fallbackValue: 'you' }],
        }),
      ),
    )
    await dataOf(templates.publish(id))
    const segment = await dataOf(segments.create({ name: 'Welcomed' }))
    return series(id, segment.id)
  }

  test('an automation is created, shown, changed, copied, stopped, listed and removed', async () => {
    const { automations } = context.resend

    const created = await dataOf(automations.create(await makeSeries()))
    expect(created).toEqual({ object: 'automation', id: expect.any(String) })
    const { id } = created
    const automation = await dataOf(automations.get(id))
    expect(automation).toMatchObject({
      object: 'automation',
      id,
      name: 'Welcome',
      status: 'disabled',
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
    })
    expect(automation.steps.map(({ key }) => key)).toEqual('start,hello,opened,is pro,pause,name,join,away'.split(','))
    expect(automation.steps[2]!.config).toMatchObject({ event_name: 'resend:email.opened', timeout: '1 week 5 days' })
    expect(automation.steps[4]!.config).toEqual({ duration: '1 hour 30 minutes' })
    expect(automation.connections[0]).toEqual({ from: 'start', to: 'hello', type: 'default' })

    expect(await dataOf(automations.update(id, { status: 'enabled' }))).toEqual({ object: 'automation', id })
    expect((await dataOf(automations.list({ status: 'enabled' }))).data).toEqual([
      {
        id,
        name: 'Welcome',
        status: 'enabled',
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: expect.stringMatching(TIMESTAMP),
      },
    ])
    const copy = await dataOf(automations.duplicate(id))
    expect(await dataOf(automations.get(copy.id))).toMatchObject({ name: 'Welcome (Copy)', status: 'disabled' })
    expect(await dataOf(automations.stop(id))).toEqual({ object: 'automation', id, status: 'disabled' })
    const shorter = { steps: [{ key: 'start', type: 'trigger', config: { eventName: 'x' } }], connections: [] } as const
    await dataOf(automations.update(id, { steps: [...shorter.steps], connections: [] }))
    expect((await dataOf(automations.get(id))).steps).toHaveLength(1)

    for (const one of [copy.id, id])
      expect(await dataOf(automations.remove(one))).toEqual({ object: 'automation', id: one, deleted: true })
    expect(await errorOf(automations.get(id))).toEqual({
      statusCode: 404,
      message: 'Automation not found',
      name: 'not_found',
    })
  })

  test('the runs of an automation are listed and shown', async () => {
    const { automations } = context.resend
    const { id } = await dataOf(automations.create(await makeSeries()))
    const run = await dataOf(
      context.resend.post<{ id: string }>(`/automations/${id}/test`, { to: 'tester@example.com' }),
    )

    const item = { id: run.id, created_at: expect.stringMatching(TIMESTAMP) }
    expect(await dataOf(automations.runs.list({ automationId: id }))).toMatchObject({ object: 'list', data: [item] })
    const statuses = ['running', 'completed', 'failed', 'cancelled'] as const
    expect(
      (await dataOf(automations.runs.list({ automationId: id, status: [...statuses], limit: 1 }))).data,
    ).toMatchObject([item])
    const shown = await dataOf(automations.runs.get({ automationId: id, runId: run.id }))
    expect(shown).toMatchObject({ object: 'automation_run', ...item })
    // Each comes after all that lead to it.
    expect(shown.steps.map(({ key }) => key)).toEqual('start,hello,opened,is pro,pause,name,join,away'.split(','))
    expect(await errorOf(automations.runs.get({ automationId: NOBODY, runId: run.id }))).toMatchObject({
      statusCode: 404,
    })
    await dataOf(automations.remove(id))
  })

  test('mistakes with automations are told', async () => {
    const { automations } = context.resend
    const trigger = { key: 'start', type: 'trigger', config: { eventName: 'user.created' } } as const
    const long = { key: 'pause', type: 'delay', config: { duration: '31 days' } } as const

    expect(
      await errorOf(
        automations.create({ name: 'x', steps: [trigger, long], connections: [{ from: 'start', to: 'pause' }] }),
      ),
    ).toMatchObject({ statusCode: 422, message: expect.stringContaining('pause') })
    expect(
      await errorOf(
        automations.create({
          name: 'x',
          steps: [trigger, { key: 'hello', type: 'send_email', config: { template: { id: NOBODY } } }],
          connections: [{ from: 'start', to: 'hello' }],
        }),
      ),
    ).toMatchObject({ statusCode: 422, message: expect.stringContaining('hello') })
    expect(await errorOf(automations.update(NOBODY, { name: 'x' }))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(automations.stop(NOBODY))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(automations.remove(NOBODY))).toMatchObject({ statusCode: 404 })
  })
}
