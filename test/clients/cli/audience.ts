import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CACHE } from '../packages.ts'
import { fresh, freshAddress, NOBODY, until } from '../world.ts'
import type { CliTrial } from './trial.ts'

export async function tryAudience(cli: CliTrial) {
  await contacts(cli)
  await imports(cli)
  await suppressions(cli)
}

async function contacts(cli: CliTrial) {
  const segment = await cli.run('segments create', ['--name', 'Navy'], { object: 'segment', name: 'Navy' })
  const { id: topic } =
    (await cli.run('topics create', ['--name', 'News', '--description', 'All', '--default-subscription', 'opt_in'])) ??
    {}
  const bare = await cli.run('topics create', ['--name', 'Bare', '--default-subscription', 'opt_out'])
  const key = fresh('company').replace('-', '_')
  const property = await cli.run('contact-properties create', [
    '--key',
    key,
    '--type',
    'string',
    '--fallback-value',
    'none',
  ])
  const email = freshAddress('grace')
  const words = [
    '--email',
    email,
    '--first-name',
    'Grace',
    '--last-name',
    'Hopper',
    '--properties',
    `{"${key}":"Navy"}`,
  ]
  const { id } =
    (await cli.run('contacts create', [...words, '--segment-id', segment?.id], { object: 'contact' })) ?? {}
  await cli.run('contacts create', ['--email', freshAddress('bare'), '--unsubscribed'])
  await cli.read('contacts get', [email], { id, first_name: 'Grace', properties: { [key]: { value: 'Navy' } } })
  await cli.read('contacts list', [], { object: 'list' })
  await cli.read('segments contacts', [segment?.id], { data: { 0: { id } } })
  await cli.run('contacts update', [id, '--unsubscribed'], { id })
  await cli.read('contacts get', [id], { unsubscribed: true })
  await cli.read('contacts segments', [email], { data: { 0: { id: segment?.id } } })
  await cli.run('contacts remove-segment', [email, segment?.id], { deleted: true })
  await cli.run('contacts add-segment', [id, '--segment-id', segment?.id], { id: segment?.id })
  await cli.run('contacts update-topics', [email, '--topics', `[{"id":"${topic}","subscription":"opt_out"}]`], { id })
  await cli.read('contacts topics', [id], { object: 'list' })
  await cli.run('contacts delete', [id, '--yes'], { deleted: true })
  await cli.refuse('contacts get', [id], /Contact not found/)

  await cli.read('segments get', [segment?.id], { name: 'Navy' })
  await cli.read('segments list', [], { object: 'list' })
  await cli.run('segments update', [segment?.id, '--name', 'Army'], { id: segment?.id })
  await cli.run('segments delete', [segment?.id, '--yes'], { deleted: true })
  await cli.refuse('segments get', [NOBODY], /not found/)

  await cli.read('topics get', [topic], { name: 'News', description: 'All' })
  await cli.read('topics get', [bare?.id], { name: 'Bare' })
  await cli.read('topics list', [], { object: 'list' })
  await cli.run('topics update', [topic, '--name', 'Old news'], { id: topic })
  await cli.run('topics delete', [topic, '--yes'], { deleted: true })
  await cli.refuse('topics get', [topic], /Topic not found/)

  await cli.read('contact-properties get', [property?.id], { key })
  await cli.read('contact-properties list', [], { object: 'list' })
  await cli.run('contact-properties update', [property?.id, '--clear-fallback-value'], { id: property?.id })
  await cli.run('contact-properties delete', [property?.id, '--yes'], { deleted: true })
  await cli.refuse('contact-properties get', [NOBODY], /Contact property not found/)
}

async function imports(cli: CliTrial) {
  const file = join(CACHE, 'people.csv')
  writeFileSync(file, `Mail,Given\n${freshAddress('csv')},Ada\n`)
  const made = await cli.run('contacts imports create', [
    '--file',
    file,
    '--column-map',
    '{"email":"Mail","firstName":"Given"}',
    '--on-conflict',
    'skip',
  ])
  const id = made?.id
  await until(async () => (await cli.world.ask('GET', `/contacts/imports/${id}`)).status === 'completed')
  await cli.read('contacts imports get', [id], { status: 'completed', counts: { created: 1 } })
  await cli.read('contacts imports list', ['--status', 'completed'], { data: { 0: { id } } })
  await cli.refuse('contacts imports get', [NOBODY], /not found/)
}

async function suppressions(cli: CliTrial) {
  const email = freshAddress('stop')
  const { id } = (await cli.run('suppressions add', [email], { object: 'suppression' })) ?? {}
  await cli.read('suppressions get', [email], { id, origin: 'manual' })
  await cli.read('suppressions list', ['--origin', 'manual'], { object: 'list' })
  await cli.run('suppressions delete', [id, '--yes'], { deleted: true })
  const emails = [freshAddress('stop'), freshAddress('stop')]
  const added = await cli.run('suppressions batch add', ['--file', '-'], {}, JSON.stringify(emails))
  await cli.run('suppressions batch remove', ['--file', '-'], {}, JSON.stringify([emails[0]]))
  await cli.run('suppressions batch remove', ['--file', '-', '--ids'], {}, JSON.stringify([added?.data?.[1]?.id]))
  await cli.refuse('suppressions get', [email], /not found/)
}
