import { fresh, freshAddress, NOBODY, until } from '../world.ts'
import type { SdkTrial } from './trial.ts'

const UNKNOWN = { statusCode: 404, name: 'not_found' }

export async function tryAudience(sdk: SdkTrial) {
  await groups(sdk)
  await contactsOfAnAudience(sdk)
  await contacts(sdk)
  await imports(sdk)
  await topics(sdk)
  await properties(sdk)
  await suppressions(sdk)
}

async function groups(sdk: SdkTrial) {
  for (const name of ['segments', 'audiences']) {
    const { id } = (await sdk.call(`${name}.create`, [{ name: 'Early birds' }], { name: 'Early birds' })) ?? {}
    await sdk.call(`${name}.get`, [id], { id, name: 'Early birds' })
    await sdk.call(`${name}.update`, [id, { name: 'Night owls' }], { id })
    await sdk.call(`${name}.list`, [], { data: { 0: { id } } })
    await sdk.call(`${name}.remove`, [id], { id, deleted: true })
    await sdk.refuse(`${name}.get`, [NOBODY], UNKNOWN)
    await sdk.refuse(`${name}.create`, [{}], { statusCode: 422, name: 'missing_required_field' })
  }
}

/** Deprecated by now, and what every older program does. */
async function contactsOfAnAudience(sdk: SdkTrial) {
  if (!sdk.has('audiences.create')) return
  const { id: audienceId } = (await sdk.call('audiences.create', [{ name: 'Customers' }])) ?? {}
  // 2.x and 3.x spell some of them as the wire does.
  const audience = { audienceId, audience_id: audienceId }
  const email = freshAddress('olda')
  const names = sdk.major < 3 ? { first_name: 'Olda' } : { firstName: 'Olda' }
  const { id } = (await sdk.call('contacts.create', [{ ...audience, email, ...names, unsubscribed: false }])) ?? {}
  await sdk.call('contacts.list', [audience], { data: { 0: { id, email } } })
  await sdk.call('contacts.get', [{ ...audience, id }], { id, email, first_name: 'Olda' })
  await sdk.call('contacts.update', [{ ...audience, id, unsubscribed: true }], { id })
  if (sdk.has('broadcasts.create')) await sdk.call('contacts.get', [{ ...audience, email }], { id, unsubscribed: true })
  await sdk.refuse('contacts.get', [{ ...audience, id: NOBODY }], UNKNOWN)
  await sdk.call('contacts.remove', [{ ...audience, id }], { deleted: true })
}

async function contacts(sdk: SdkTrial) {
  if (!sdk.isModern) return
  const segment = await sdk.call('segments.create', [{ name: 'Navy' }])
  const topic = await sdk.call('topics.create', [{ name: 'Compilers', defaultSubscription: 'opt_out' }])
  const key = fresh('rank').replace('-', '_')
  await sdk.call('contactProperties.create', [{ key, type: 'string' }])
  const email = freshAddress('grace')
  const whole = {
    email,
    firstName: 'Grace',
    lastName: 'Hopper',
    properties: { [key]: 'admiral' },
    segments: [{ id: segment?.id }],
    topics: [{ id: topic?.id, subscription: 'opt_in' }],
  }
  const { id } = (await sdk.call('contacts.create', [whole], { object: 'contact' })) ?? {}
  // The first versions that know segments do not send them along.
  if (!sdk.has('logs.list')) await sdk.call('contacts.segments.add', [{ email, segmentId: segment?.id }])
  const bare = await sdk.call('contacts.create', [{ email: freshAddress('bare') }])
  await sdk.call('contacts.get', [bare?.id], { first_name: null, last_name: null })
  await sdk.call('contacts.get', [id], { email, properties: { [key]: { type: 'string', value: 'admiral' } } })
  await sdk.call('contacts.get', [{ email }], { id })
  await sdk.call('contacts.list', [], { object: 'list' })
  await sdk.call('contacts.list', [{ segmentId: segment?.id, limit: 1 }], { data: { 0: { id } } })
  await sdk.call('contacts.update', [{ id, lastName: null, unsubscribed: true, properties: { [key]: null } }], { id })
  await sdk.call('contacts.get', [id], {
    last_name: null,
    unsubscribed: true,
    properties: (all: object) => Object.keys(all).length === 0,
  })
  const other = await sdk.call('segments.create', [{ name: 'Other' }])
  await sdk.call('contacts.segments.add', [{ contactId: id, segmentId: other?.id }], { id: other?.id })
  await sdk.call('contacts.segments.list', [{ email }], { data: (all: unknown[]) => all.length === 2 })
  await sdk.call('contacts.segments.remove', [{ email, segmentId: other?.id }], { deleted: true })
  await sdk.call('contacts.topics.update', [{ email, topics: [{ id: topic?.id, subscription: 'opt_out' }] }], { id })
  await sdk.call('contacts.topics.list', [{ id }], {
    data: (all: { id: string; subscription: string }[]) =>
      all.some((one) => one.id === topic?.id && one.subscription === 'opt_out'),
  })
  await sdk.call('contacts.remove', [{ email }], { object: 'contact', contact: id, deleted: true })
  await sdk.refuse('contacts.get', [id], UNKNOWN)
  await sdk.refuse('contacts.create', [{}], { statusCode: 422, name: 'missing_required_field' })
}

async function imports(sdk: SdkTrial) {
  if (!sdk.has('contacts.imports.create')) return
  const csv = `mail,given\n${freshAddress('csv')},Ada\n`
  const map = { email: 'mail', firstName: 'given' }
  const created = await sdk.call('contacts.imports.create', [
    { file: new Blob([csv]), columnMap: map, onConflict: 'upsert' },
  ])
  const id = created?.id
  await sdk.call('contacts.imports.get', [id], { object: 'contact_import', id })
  await until(async () => (await sdk.world.ask('GET', `/contacts/imports/${id}`)).status === 'completed')
  await sdk.call('contacts.imports.get', [id], { status: 'completed', counts: { total: 1, created: 1 } })
  await sdk.call('contacts.imports.list', [{ status: 'completed', limit: 1 }], { data: { 0: { id } } })
  await sdk.refuse('contacts.imports.get', [NOBODY], UNKNOWN)
}

async function topics(sdk: SdkTrial) {
  const topic = { name: 'Weekly', description: 'Each Monday', defaultSubscription: 'opt_in' }
  const { id } = (await sdk.call('topics.create', [topic], { object: 'topic' })) ?? {}
  await sdk.call('topics.get', [id], { name: 'Weekly', description: 'Each Monday', default_subscription: 'opt_in' })
  await sdk.call('topics.update', [{ id, name: 'Monthly' }], { id })
  await sdk.call('topics.list', [], { data: { 0: { id, name: 'Monthly' } } })
  await sdk.call('topics.remove', [id], { id, deleted: true })
  await sdk.refuse('topics.get', [id], UNKNOWN)
}

async function properties(sdk: SdkTrial) {
  const key = fresh('company').replace('-', '_')
  const made = await sdk.call('contactProperties.create', [{ key, type: 'string', fallbackValue: 'none' }])
  const id = made?.id
  await sdk.call('contactProperties.get', [id], { key, type: 'string', fallbackValue: 'none' })
  await sdk.call('contactProperties.update', [{ id, fallbackValue: null }], { id })
  await sdk.call('contactProperties.list', [], { data: { 0: { id, key } } })
  await sdk.call('contactProperties.remove', [id], { id, deleted: true })
  await sdk.refuse('contactProperties.get', [id], UNKNOWN)
}

async function suppressions(sdk: SdkTrial) {
  const email = freshAddress('stop')
  const { id } = (await sdk.call('suppressions.add', [{ email }], { object: 'suppression' })) ?? {}
  await sdk.call('suppressions.get', [email], { id, email, origin: 'manual', source_id: null })
  await sdk.call('suppressions.list', [{ origin: 'manual', limit: 1 }], { data: { 0: { id } } })
  await sdk.call('suppressions.remove', [id], { id, deleted: true })
  const emails = [freshAddress('stop'), freshAddress('stop')]
  const added = await sdk.call('suppressions.batch.add', [{ emails }], { data: (all: unknown[]) => all.length === 2 })
  await sdk.call('suppressions.batch.remove', [{ emails: [emails[0]] }], { data: { 0: { deleted: true } } })
  await sdk.call('suppressions.batch.remove', [{ ids: [added?.data[1]?.id] }], { data: { 0: { deleted: true } } })
  await sdk.refuse('suppressions.get', [email], UNKNOWN)
}
