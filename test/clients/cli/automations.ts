import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CACHE } from '../packages.ts'
import { fresh, freshAddress, NOBODY, until } from '../world.ts'
import type { CliTrial } from './trial.ts'

export async function tryAutomations(cli: CliTrial) {
  await events(cli)
  await automations(cli)
}

async function events(cli: CliTrial) {
  const name = `${fresh('order')}/paid in full`
  const schema = { total: 'number', at: 'date' }
  const words = ['--name', name, '--schema', JSON.stringify(schema)]
  const { id } = (await cli.run('events create', words, { object: 'event' })) ?? {}
  const bare = await cli.run('events create', ['--name', fresh('bare')])
  await cli.read('events get', [name], { id, name, schema })
  await cli.read('events get', [bare?.id], { schema: null })
  await cli.read('events list', [], { data: { 0: { id: bare?.id }, 1: { id } } })
  await cli.read('events list', ['--limit', '1', '--after', bare?.id], { data: { 0: { id } } })
  await cli.run('events update', [name, '--schema', '{"total":"number"}'], { id })
  const email = freshAddress('payer')
  const send = ['--event', name, '--email', email, '--payload']
  await cli.run('events send', [...send, '{"total":"42"}'], { object: 'event', event: name })
  const contact = await cli.run('contacts create', ['--email', email])
  await cli.run('events send', ['--event', name, '--contact-id', contact?.id], { event: name })
  await cli.refuse('events send', [...send, '{"total":"much"}'], /`payload\.total`.*a number/)
  await cli.refuse('events send', ['--event', name, '--contact-id', NOBODY], /Contact not found/)
  await cli.refuse('events create', ['--name', 'resend:mine'], /must not start with/)
  await cli.run('events update', [id, '--schema', 'null'], { id })
  // What it prints as the id is what it was given.
  await cli.run('events delete', [name, '--yes'], { deleted: true })
  await cli.refuse('events get', [id], /Event not found/)
}

async function automations(cli: CliTrial) {
  const eventName = fresh('user.created')
  const segment = await cli.run('segments create', ['--name', 'Welcomed'])
  const alias = fresh('welcome')
  const text = ['--name', 'Welcome', '--html', '<p>Hi {{{NAME}}}</p>', '--subject', 'Hi', '--from', 'hi@acme.example']
  const template = await cli.run('templates create', [...text, '--alias', alias, '--var', 'NAME:string:you'])
  await cli.run('templates publish', [template?.id])
  const steps = [
    { key: 'start', type: 'trigger', config: { eventName } },
    {
      key: 'hello',
      type: 'send_email',
      config: { template: { id: alias, variables: { NAME: { var: 'event.name' } } }, replyTo: 'help@acme.example' },
    },
    { key: 'pro', type: 'condition', config: { type: 'rule', field: 'event.plan', operator: 'eq', value: 'pro' } },
    { key: 'join', type: 'add_to_segment', config: { segmentId: segment?.id } },
    { key: 'paid', type: 'wait_for_event', config: { eventName: fresh('paid'), timeout: '90 minutes' } },
    { key: 'away', type: 'contact_delete', config: {} },
  ]
  const connections = [
    { from: 'start', to: 'hello' },
    { from: 'hello', to: 'pro' },
    { from: 'pro', to: 'join', type: 'condition_met' },
    { from: 'pro', to: 'paid', type: 'condition_not_met' },
    { from: 'paid', to: 'join', type: 'event_received' },
    { from: 'paid', to: 'away', type: 'timeout' },
  ]
  const file = join(CACHE, 'automation.json')
  const automation = { name: 'Welcome', status: 'enabled', steps, connections }
  writeFileSync(file, JSON.stringify(automation))
  const { id } = (await cli.run('automations create', ['--file', file], { object: 'automation' })) ?? {}
  const piped = ['--file', '-', '--name', 'Piped', '--status', 'disabled']
  const second = await cli.run('automations create', piped, {}, JSON.stringify(automation))
  const alone = ['--name', 'Alone', '--steps', JSON.stringify(steps.slice(0, 1)), '--connections', '[]']
  const third = await cli.run('automations create', alone)
  await cli.read('automations get', [id], {
    name: 'Welcome',
    status: 'enabled',
    steps: { 4: { config: { timeout: '1 hour 30 minutes' } } },
  })
  await cli.read('automations get', [third?.id], {
    status: 'disabled',
    connections: (all: object[]) => all.length === 0,
  })
  await cli.read('automations list', [], { data: { 0: { id: third?.id } } })
  await cli.read('automations list', ['--limit', '1', '--after', second?.id], { data: { 0: { id } } })
  for (const plan of ['pro', 'free']) {
    const payload = JSON.stringify({ name: 'Ada', plan })
    await cli.run('events send', ['--event', eventName, '--email', freshAddress(plan), '--payload', payload])
    await until(async () => {
      const runs = (await cli.world.ask('GET', `/automations/${id}/runs`)).data as { status: string }[]
      return runs.some(({ status }) => status === (plan === 'pro' ? 'completed' : 'running'))
    })
  }
  await cli.read('automations runs list', [id], { data: { 0: { status: 'running' }, 1: { status: 'completed' } } })
  // Without a word it is the list.
  await cli.read('automations runs', [id], { data: { 0: { status: 'running' } } })
  const list = await cli.read('automations runs list', [id, '--status', 'completed,failed', '--limit', '1'], {
    data: { 0: { status: 'completed' } },
    has_more: false,
  })
  await cli.read('automations runs get', ['--automation-id', id, '--run-id', list?.data[0]?.id], {
    status: 'completed',
    steps: {
      1: { status: 'completed', output: { template: { variables: { NAME: 'Ada' } } } },
      2: { output: { result: true } },
    },
  })
  await cli.read('automations runs get', ['--automation-id', id, '--run-id', (await waitingOf(cli, id))?.id])
  await cli.refuse('automations runs list', [id, '--status', 'done'], /status/)
  const copy = await cli.run('automations duplicate', [id], { object: 'automation' })
  await cli.read('automations get', [copy?.id], { name: 'Welcome (Copy)', status: 'disabled' })
  await cli.run('automations stop', [id], { id, status: 'disabled' })
  await cli.read('automations runs list', [id, '--status', 'cancelled'], { data: { 0: { status: 'cancelled' } } })
  await cli.run('automations update', [id, '--status', 'enabled'], { id })
  await cli.refuse('automations create', [...alone.slice(0, 5), '[{"from":"start","to":"nowhere"}]'], /`nowhere`/)
  const unlike = JSON.stringify({ ...automation, steps: [{ ...steps[0], config: { event_name: eventName } }] })
  writeFileSync(file, unlike)
  await cli.refuse('automations create', ['--file', file], /`steps\.start\.config\.event_name`/)
  for (const one of [copy?.id, id]) await cli.run('automations delete', [one, '--yes'], { id: one, deleted: true })
  await cli.refuse('automations get', [id], /Automation not found/)
}

const waitingOf = async (cli: CliTrial, id: string): Promise<{ id: string } | undefined> =>
  (await cli.world.ask('GET', `/automations/${id}/runs?status=running`)).data[0]
