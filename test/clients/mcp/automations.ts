import { fresh, freshAddress, NOBODY, until } from '../world.ts'
import { ID, type McpTrial } from './trial.ts'

export async function tryAutomations({ world, call, make, refuse }: McpTrial) {
  const manage = (action: string, words: object, says?: RegExp) => call('manage-events', { action, ...words }, says)
  const eventName = fresh('user.created')
  const schema = { plan: 'string', seats: 'number' }
  await manage('create', { name: eventName, schema }, ID)
  const bare = fresh('trial/ended')
  const bareId = ID.exec(await manage('create', { name: bare, schema: null }, ID))?.[0]
  await manage('list', {}, new RegExp(eventName))
  await manage('list', { limit: 1, after: bareId }, new RegExp(eventName))
  await manage('get', { identifier: bare }, /Schema: none[\s\S]*Updated: never/)
  await manage('update', { identifier: bare, schema: { when: 'date' } })
  await manage('get', { identifier: bareId }, /"when":"date"/)
  await manage('update', { identifier: bare, schema: null })

  const segmentId = await make('create-segment', { name: 'Welcomed' })
  const text = { name: 'Welcome', subject: 'Hi', html: '<p>Hi {{{NAME}}}</p>', from: 'Acme <hi@acme.example>' }
  const variables = [{ key: 'NAME', type: 'string', fallbackValue: 'you' }]
  const id = await make('create-template', { ...text, variables })
  await refuse('create-automation', { name: 'Early', workflow: workflow(eventName, id, segmentId) }, /Publish it first/)
  await call('publish-template', { id })
  const words = { name: 'Welcome series', status: 'enabled', workflow: workflow(eventName, id, segmentId) }
  const automationId = await make('create-automation', words)
  await call('get-automation', { id: automationId }, /"timeout": "1 week 5 days"/)
  await call('get-automation', { id: `https://resend.com/automations/${automationId}` }, /Welcome series/)
  await call('get-automation', {}, /Welcome series/)
  await call('get-automation', { status: 'enabled', limit: 1 }, /Welcome series/)

  const idle = await call('get-automation-runs', { automationId }, /No runs found/)
  const email = freshAddress('pro')
  await call('send-event', { event: eventName, email, payload: { plan: 'pro', seats: '3' } }, /sent successfully/)
  const [run] = (await until(async () => {
    const { data } = await world.ask('GET', `/automations/${automationId}/runs?status=completed`)
    return data.length > 0 && data
  })) ?? [{ id: idle }]
  const contactId = await make('create-contact', { email: freshAddress('free') })
  await call('send-event', { event: eventName, contactId, payload: { plan: 'free' } })
  await until(async () => (await world.ask('GET', `/automations/${automationId}/runs?status=running`)).data.length > 0)
  await call('get-automation-runs', { automationId }, /Status: running[\s\S]*Status: completed/)
  await call('get-automation-runs', { automationId, status: 'completed', limit: 1 }, new RegExp(run.id))
  const shown = await call(
    'get-automation-runs',
    { automationId, runId: run.id },
    /join_1 \(add_to_segment\): completed/,
  )
  const emailId = /"email_id":"([^"]+)"/.exec(shown)?.[1] ?? NOBODY
  await call('get-email', { id: emailId }, /Welcome aboard/)
  await call('list-contacts', { segmentId }, new RegExp(email))
  await call('get-contact', { email }, /Pro/)
  await refuse('send-event', { event: eventName, email, payload: { seats: 'many' } }, /payload\.seats/)

  const change = { id: automationId, workflow: { steps: [trigger(eventName, null)] } }
  await refuse('update-automation', change, /disable/i)
  await call('update-automation', { id: automationId, status: 'disabled', name: 'Farewell' }, /now disabled/)
  await call('update-automation', change)
  await call('get-automation', { id: automationId }, /Farewell[\s\S]*"next": null/)
  const wait = { key: 'wait_1', type: 'wait_for_event', config: { eventName: bare }, next: 'delay_1' }
  const pause = { key: 'delay_1', type: 'delay', config: { duration: '1 day' }, next: null }
  const steps = [trigger(eventName, 'wait_1'), wait, pause]
  await call('update-automation', { id: automationId, workflow: { steps } })
  // It looks for this type at a wait. Without it whoever changes what is shown would cut the way off.
  await call('get-automation', { id: automationId }, /"event_received": "delay_1"/)
  const copy = await make('duplicate-automation', { id: automationId })
  await call('get-automation', { id: copy, status: 'disabled' }, /Farewell \(Copy\)/)
  await call('remove-automation', { id: copy })
  await call('remove-automation', { id: automationId })
  await refuse('get-automation', { id: automationId }, /Automation not found/)
  await manage('remove', { identifier: bare }, ID)
  await refuse('manage-events', { action: 'get', identifier: bare }, /Event not found/)
}

const trigger = (eventName: string, next: string | null) => ({
  key: 'trigger',
  type: 'trigger',
  config: { eventName },
  next,
})

/** As the description of the tool tells a model to write it, with nulls where nothing comes after. */
const workflow = (eventName: string, template: string, segmentId: string) => ({
  steps: [
    trigger(eventName, 'condition_1'),
    {
      key: 'condition_1',
      type: 'condition',
      config: { type: 'rule', field: 'event.plan', operator: 'eq', value: 'pro' },
      branches: { condition_met: 'send_email_1', condition_not_met: 'wait_event_1' },
    },
    {
      key: 'send_email_1',
      type: 'send_email',
      config: {
        template: { id: template, variables: { NAME: { var: 'event.plan' } } },
        from: 'Acme <hello@acme.example>',
        subject: 'Welcome aboard',
        replyTo: '',
      },
      next: 'delay_1',
    },
    { key: 'delay_1', type: 'delay', config: { duration: '1 second' }, next: 'update_1' },
    { key: 'update_1', type: 'contact_update', config: { firstName: 'Pro', unsubscribed: false }, next: 'join_1' },
    { key: 'join_1', type: 'add_to_segment', config: { segmentId }, next: null },
    {
      key: 'wait_event_1',
      type: 'wait_for_event',
      config: { eventName: 'resend:email.opened', timeout: '12 days', filterRule: null },
      branches: { event_received: null, timeout: 'delete_1' },
    },
    { key: 'delete_1', type: 'contact_delete', config: {}, next: null },
  ],
})
